import { createLimiter, gcra, redisStore } from '@sluice/core'
import { limitedFetch } from '../../src/index.ts'

/** What a process prints that calls an API as docs/waiting.md says. */
export interface Called {
  /** How often the API answered with each status. */
  readonly statuses: { readonly [status: string]: number }
  readonly sources: readonly string[]
}

const calls = 25

/** The page's program, with other numbers and nobody who waits for the store. */
async function run(api: string, redis: string): Promise<void> {
  const store = redisStore(redis)
  const sources = new Set<string>()
  const limiter = createLimiter({
    name: 'orders-api',
    policy: gcra({ count: 10, period: '1s', burst: 0 }),
    store,
    observers: [{ decided: ({ source }) => void sources.add(source) }],
  })
  const get = limitedFetch(limiter, { key: () => 'orders-api' })
  const statuses: { [status: string]: number } = {}
  await Promise.all(
    Array.from({ length: calls }, async () => {
      const { status } = await get(api)
      statuses[status] = (statuses[status] ?? 0) + 1
    }),
  )
  await limiter.close()
  await store.close()
  const called: Called = { statuses, sources: [...sources] }
  process.stdout.write(JSON.stringify(called))
}

const [, , api, redis] = process.argv
if (api !== undefined && redis !== undefined) void run(api, redis)
