import {
  attributedWindow,
  fixedWindow,
  gcra,
  leakyBucket,
  multiWindow,
  type Policy,
  redisStore,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'
import type { Bench } from './bench.ts'
import { checks } from './calls.ts'
import { numbers } from './policies.ts'
import type { Section } from './section.ts'
import { serverTimeOf } from './server-time.ts'

const { counter, rate } = numbers.wide
/** A log keeps an entry for each request, so its limit is the most that it may keep. */
const log = { limit: 100_000, window: '1h' } as const
const bucket = { capacity: 10_000_000, count: 1000, period: '1h' } as const

/** Every strategy that takes units, so wide that no key of a run is refused. */
const strategies: { readonly [name: string]: Policy } = {
  fixedWindow: fixedWindow(counter),
  slidingWindowCounter: slidingWindowCounter(counter),
  gcra: gcra(rate),
  tokenBucket: tokenBucket(bucket),
  leakyBucket: leakyBucket(bucket),
  // Free again at the next visit, so it is written anew.
  uniform: uniform({ interval: '1ms' }),
  slidingWindowLog: slidingWindowLog(log),
  multiWindow: multiWindow({
    limits: [
      { limit: 50_000, window: '1h' },
      { limit: 100_000, window: '1d' },
    ],
  }),
  attributedWindow: attributedWindow(log),
}

/** What a check of each strategy costs the server: alone, by a script for one, and with others, by the one for many. */
export async function* byStrategy({ client, pace }: Bench): AsyncGenerator<Section> {
  const store = redisStore(client)
  const kinds = Object.entries(strategies).map(([name, policy]) =>
    checks(store, { name, policies: { default: policy } }),
  )
  for (const { ask } of kinds) await ask(0)
  for (const [atOnce, how] of [
    [1, 'alone'],
    [64, '64 at once'],
  ] as const) {
    const about = { id: `by-strategy-${atOnce}`, title: `Server time of a check by strategy, ${how}` }
    yield await serverTimeOf(client, kinds, { ...about, atOnce, ratiosTo: ['fixedWindow'], pace })
  }
}
