import { everyCount } from '@sluice/conformance/every-strategy'
import { concurrency, createLimiter, type Decision, type Duration, gcra, redisStore } from '@sluice/core'
import type { Redis } from 'ioredis'
import { silent } from '../silent.ts'

export interface Tally {
  asked: number
  notFromRedis: number
}

/** What is asked all week. */
export interface Limiters {
  readonly tally: Tally
  /** Every policy that counts, in one step. */
  count(key: string): Promise<void>
  /** A place in flight. */
  enter(key: string): Promise<Decision>
  standInLine(): Promise<void>
  close(): Promise<void>
}

export function openLimiters(client: Redis, window: Duration): Limiters {
  const tally: Tally = { asked: 0, notFromRedis: 0 }
  // A busy machine is no outage.
  const store = redisStore(client, { deadline: '5s' })
  const about = { store, logger: silent }
  const places = concurrency({ limit: 5, lease: '10s' })
  const rate = gcra({ count: 10, period: '1s', maxDebt: '2s' })
  const counts = createLimiter({ ...about, name: 'counts', policies: everyCount(20, window) })
  const inFlight = createLimiter({ ...about, name: 'places', policy: places })
  const line = createLimiter({ ...about, name: 'line', policy: rate })
  return {
    tally,
    async count(key) {
      const { source } = await counts.check(key)
      tally.asked++
      if (source !== 'redis') tally.notFromRedis++
    },
    enter: (key) => inFlight.check(key),
    async standInLine() {
      await line.wait('everybody', { maxWait: '1s' })
    },
    async close() {
      for (const limiter of [counts, inFlight, line]) await limiter.close()
      await store.close()
    },
  }
}
