import { setTimeout as pause } from 'node:timers/promises'
import { policyFrom } from '@sluice/core/strategies'
import { Redis } from 'ioredis'
import { keysOf } from '../policies.ts'
import { spreadOf } from '../rounds.ts'
import { checkAll, grow, limiterOver, type Subject, subjects } from './subjects.ts'

/** So many that the tables of the server, one for keys and one for their lives, are exactly full. */
const many = keysOf(512)
const tableBytes = 2 * 8 * many.length
const longestName = 300

export interface Steps {
  readonly upTo: readonly number[]
  readonly bytes: readonly number[]
}

/** What a longer name takes beyond one of a single character. */
export async function nameBytes(client: Redis): Promise<Steps> {
  const upTo: number[] = []
  const bytes: number[] = []
  let first: number | undefined
  for (let length = 1; length <= longestName; length++) {
    const name = 'k'.repeat(length)
    await client.set(name, 1)
    const usage = Number(await client.memory('USAGE', name))
    await client.del(name)
    first ??= usage
    const more = usage - first
    if (bytes.at(-1) === more) upTo[upTo.length - 1] = length
    else {
      upTo.push(length)
      bytes.push(more)
    }
  }
  return { upTo, bytes }
}

export interface StateBytes {
  readonly units: readonly number[]
  readonly bytes: readonly number[]
}

/** So many checks that the number of a check, which entries hold, is as long as in a process that has run for some minutes. */
const earlier = keysOf(36 ** 3).map((key) => `earlier-${key}`)

/**
 * Leaves the scripts on the server, for one check and for many, and what it keeps of each command that it has run. By a
 * client of its own: a limiter that has counted a key holds to its count when the connection and the key were lost.
 */
async function warmUp(socket: string, subject: Subject): Promise<void> {
  const { policy, sizes } = subject
  const client = new Redis(socket)
  const limiter = limiterOver(client, { default: policyFrom(policy) })
  await checkAll(
    limiter,
    policy.strategy.endsWith('Log') || policy.strategy === 'attributedWindow' ? earlier : many,
  )
  for (const to of sizes.slice(0, 3)) await grow({ client, limiter, subject }, ['warm'], { from: to - 1, to })
  await nameLength(client)
  await limiter.close()
  await client.flushall()
  client.disconnect()
}

/** The growth of the server for each key, its name and the tables aside, at each of the sizes. */
export async function stateBytes(socket: string, subject: Subject, names: Steps): Promise<StateBytes> {
  const { policy, sizes } = subject
  await warmUp(socket, subject)
  const client = new Redis(socket, { lazyConnect: true })
  const limiter = limiterOver(client, { default: policyFrom(policy) })
  const before = await usedBytes(socket)
  const bytes: number[] = []
  let from = 0
  for (const to of sizes) {
    await client.connect()
    await grow({ client, limiter, subject }, many, { from, to })
    const name = moreForName(names, await nameLength(client))
    client.disconnect()
    from = to
    bytes.push(Math.round(((await usedBytes(socket)) - before - tableBytes) / many.length - name))
  }
  await limiter.close()
  return { units: sizes, bytes }
}

/** How many characters the name of a state has beside its key. */
export async function charactersBesideKey(client: Redis): Promise<number> {
  await client.flushall()
  const [first] = subjects
  if (first === undefined) return 0
  const limiter = limiterOver(client, { default: policyFrom(first.policy) })
  await limiter.check('k')
  await limiter.close()
  return (await nameLength(client)) - 1
}

/** What a server of a cluster keeps beyond another for each key. */
export async function clusterBytes(alone: string, member: string): Promise<number> {
  const [one, other] = [await plainKeyBytes(alone), await plainKeyBytes(member)]
  return Math.round(other - one)
}

async function plainKeyBytes(socket: string): Promise<number> {
  const client = new Redis(socket)
  await client.set('warm', 1, 'PX', 3_600_000)
  await client.flushall()
  client.disconnect()
  const before = await usedBytes(socket)
  await client.connect()
  for (const key of many) await client.set(key, 1, 'PX', 3_600_000)
  client.disconnect()
  return ((await usedBytes(socket)) - before) / many.length
}

function moreForName({ upTo, bytes }: Steps, length: number): number {
  return bytes[upTo.findIndex((most) => length <= most)] ?? Number.NaN
}

async function nameLength(client: Redis): Promise<number> {
  return String(await client.randomkey()).length
}

/** Of the server alone: the median of some answers. */
async function usedBytes(socket: string): Promise<number> {
  const used: number[] = []
  while (used.length < 7) {
    const bytes = await usedBesideOne(socket)
    if (bytes === undefined) await pause(1)
    else used.push(bytes)
  }
  return spreadOf(used).median
}

/** By a new connection, whose buffers the server has not shrunk yet; undefined while another one has not gone. */
async function usedBesideOne(socket: string): Promise<number | undefined> {
  const client = new Redis(socket, { enableReadyCheck: false })
  const answers = await client.multi().info('clients').info('memory').exec()
  client.disconnect()
  const [clients, memory] = (answers ?? []).map(([, text]) => String(text))
  if (!/connected_clients:1\r/.test(clients ?? '')) return undefined
  return Number(/used_memory:(\d+)/.exec(memory ?? '')?.[1])
}
