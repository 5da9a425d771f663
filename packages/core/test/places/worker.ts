import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Redis } from 'ioredis'
import { concurrency, createLimiter, redisStore } from '../../src/index.ts'

/** Callers of a process, each with the time at which it comes. */
export interface Crowd {
  readonly key: string
  readonly limit: number
  readonly callers: readonly {
    readonly name: string
    readonly atMs: number
    readonly workMs: number
    readonly priority?: number
  }[]
}

/** What became of one: when it came, how many were at work once it had begun, and how it ended. */
export type Event =
  | {
      readonly kind: 'began'
      readonly name: string
      readonly cameMs: number
      /** How long its process has stood still at most: so much later it may have asked. */
      readonly stoodMs: number
      readonly atWork: number
    }
  | { readonly kind: 'ended' | 'refused'; readonly name: string }

const logger = { warn() {}, error() {} }
const [, , socket] = process.argv
const stood = monitorEventLoopDelay({ resolution: 5 })

async function come(client: Redis, { key, limit, callers }: Crowd): Promise<void> {
  const store = redisStore(client, { deadline: '5s' })
  const limiter = createLimiter({
    name: 'places',
    policy: concurrency({ limit, lease: '3s' }),
    store,
    logger,
  })
  await limiter.ready()
  const send = (event: Event) => process.send?.(event)
  await Promise.all(
    callers.map(async ({ name, atMs, workMs, priority }) => {
      await new Promise((resolve) => setTimeout(resolve, atMs - Date.now()))
      const cameMs = performance.timeOrigin + performance.now()
      const work = async () => {
        const atWork = await client.incr(`${key}:at-work`)
        send({ kind: 'began', name, cameMs, stoodMs: stood.max / 1e6, atWork })
        await new Promise((resolve) => setTimeout(resolve, workMs))
        await client.decr(`${key}:at-work`)
      }
      try {
        await limiter.run(key, work, { maxWait: '50s', priority })
        send({ kind: 'ended', name })
      } catch {
        send({ kind: 'refused', name })
      }
    }),
  )
  await limiter.close()
}

if (process.send !== undefined && socket !== undefined) {
  const client = new Redis({ path: socket })
  stood.enable()
  process.on('message', (crowd: Crowd) => void come(client, crowd).then(() => process.send?.('done')))
  process.on('disconnect', () => process.exit())
  process.send('ready')
}
