import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Redis } from 'ioredis6'
import type { RedisProcess } from './redis-process.ts'
import { until } from './until.ts'

/** Ends a trouble; resolves when the server could answer as before. */
export type Cure = () => Promise<void>

/** Sends a command to a server as an administrator does, over a connection of its own, whatever state the server is in. */
export async function say(
  { port }: RedisProcess,
  command: string,
  ...args: (string | number)[]
): Promise<unknown> {
  const client = new Redis({
    port,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    disconnectTimeout: 100,
  })
  client.on('error', () => {})
  try {
    return await client.call(command, ...args)
  } finally {
    client.disconnect()
  }
}

async function answersWith(word: string, server: RedisProcess): Promise<boolean> {
  const answer = await say(server, 'PING').catch((error: unknown) => String(error))
  return String(answer).includes(word)
}

/** Fills the server's memory: writes fail with OOM. */
export async function fill(server: RedisProcess): Promise<Cure> {
  await say(server, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
  await say(server, 'CONFIG', 'SET', 'maxmemory', 1)
  return async () => void (await say(server, 'CONFIG', 'SET', 'maxmemory', 0))
}

/** Makes the server have fewer replicas than it needs for a write: writes fail with NOREPLICAS. */
export async function loseReplicas(server: RedisProcess): Promise<Cure> {
  await say(server, 'CONFIG', 'SET', 'min-replicas-to-write', 1)
  return async () => void (await say(server, 'CONFIG', 'SET', 'min-replicas-to-write', 0))
}

/** Makes the server follow another one, or wait for one that is not there: writes fail with READONLY. The cure makes it a master again. */
export async function demote(server: RedisProcess, { port }: { readonly port: number }): Promise<Cure> {
  await say(server, 'REPLICAOF', '127.0.0.1', port)
  return async () => void (await say(server, 'REPLICAOF', 'NO', 'ONE'))
}

/** Runs a script that never ends: the server hangs for a moment, then it answers BUSY. The cure kills the script. */
export async function occupy(server: RedisProcess): Promise<Cure> {
  await say(server, 'CONFIG', 'SET', 'lua-time-limit', 50)
  const killed = say(server, 'EVAL', 'while true do end', 0).catch(() => {})
  await until(() => answersWith('BUSY', server), { what: 'waiting for BUSY' })
  return async () => {
    await say(server, 'SCRIPT', 'KILL')
    await killed
  }
}

/** Makes the server's saves fail: it refuses writes with MISCONF. */
export async function failSaves(server: RedisProcess): Promise<Cure> {
  const [, folder] = (await say(server, 'CONFIG', 'GET', 'dir')) as [string, string] // a name and its value
  const inTheWay = path.join(folder, 'dump.rdb')
  rmSync(inTheWay, { force: true })
  mkdirSync(inTheWay)
  await say(server, 'CONFIG', 'SET', 'save', '3600 1')
  await say(server, 'BGSAVE')
  const saved = async (how: string) =>
    String(await say(server, 'INFO', 'persistence')).includes(`rdb_last_bgsave_status:${how}`)
  await until(() => saved('err'), { what: 'waiting for a save to fail' })
  return async () => {
    rmSync(inTheWay, { recursive: true, force: true })
    await say(server, 'BGSAVE')
    await until(() => saved('ok'), { what: 'waiting for a save' })
  }
}
