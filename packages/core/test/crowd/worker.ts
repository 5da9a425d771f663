import { Redis } from 'ioredis'
import { createLimiter, fixedWindow, gcra, type Policy, slidingWindowLog, uniform } from '../../src/index.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { RedisStore } from '../../src/redis/store.ts'

/** The orders of a worker process: which policy, on which key, and when all start at once. */
export interface Start {
  readonly crowd: CrowdName
  readonly key: string
  readonly callers: number
  readonly calls: number
  readonly atMs: number
}

/** What it answers. */
export interface Count {
  readonly admitted: number
  readonly refused: number
}

/** Policies whose limit a crowd that comes at once can reach, and no more: none gives anything back within the hour. */
export const crowds = {
  slidingWindowLog: slidingWindowLog({ limit: 500, window: '1h' }),
  fixedWindow: fixedWindow({ limit: 500, window: '1h' }),
  gcra: gcra({ count: 500, period: '500h', burst: 499 }),
  uniform: uniform({ interval: '1h' }),
} satisfies { readonly [name: string]: Policy }

export type CrowdName = keyof typeof crowds

async function send(socket: string, { crowd, key, callers, calls, atMs }: Start): Promise<Count> {
  // Each caller has a connection of its own, as so many servers would.
  const clients = Array.from({ length: callers }, () => new Redis({ path: socket }))
  const limiters = clients.map((client) => {
    const store = new RedisStore({ connection: fromIoredis(client), prefix: '', deadlineUs: 0 })
    return createLimiter({ name: 'crowd', store, policies: { [crowd]: crowds[crowd] } })
  })
  await Promise.all(clients.map((client) => client.ping()))
  await new Promise((resolve) => setTimeout(resolve, atMs - Date.now()))
  const decisions = await Promise.all(
    limiters.flatMap((limiter) => Array.from({ length: calls }, () => limiter.check(key))),
  )
  for (const client of clients) client.disconnect()
  const admitted = decisions.filter(({ allowed }) => allowed).length
  return { admitted, refused: decisions.length - admitted }
}

const [, , socket] = process.argv
if (process.send !== undefined && socket !== undefined) {
  process.on('message', (start: Start) => {
    void send(socket, start).then((count) => process.send?.(count))
  })
  process.send('ready')
}
