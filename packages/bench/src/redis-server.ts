import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

export interface RedisServer {
  /** Over TCP on loopback, as most have it. */
  readonly url: string
  readonly socket: string
  readonly pid: number
  stop(): Promise<void>
}

/** A server of our own, in memory only, on a free port and on a socket in a temporary folder. `more`: further options. */
export async function startRedis(more: readonly string[] = []): Promise<RedisServer> {
  const program = process.env.SLUICE_REDIS_SERVER || 'redis-server'
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
  const socket = path.join(folder, 'redis.sock')
  const port = await freePort()
  const places = ['--bind', '127.0.0.1', '--port', String(port), '--unixsocket', socket, '--dir', folder]
  const options = [...places, '--save', '', '--appendonly', 'no']
  const server = spawn(program, [...options, ...more], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => {
    server.once('error', () => resolve())
    server.once('exit', () => resolve())
  })
  async function stop(): Promise<void> {
    server.kill()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const ready = new Promise<void>((resolve, reject) => {
    let said = ''
    server.stdout.on('data', (chunk) => {
      said += chunk
      if (said.includes('eady to accept')) resolve()
    })
    server.once('error', () => {
      reject(new Error(`${program} does not start: install it, or name it in SLUICE_REDIS_SERVER.`))
    })
    server.once('exit', (code) => reject(new Error(`${program} ended with ${code}:\n${said}`)))
  })
  try {
    await ready
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `redis://127.0.0.1:${port}`, socket, pid: server.pid ?? 0, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('There is no free port.')
  return address.port
}
