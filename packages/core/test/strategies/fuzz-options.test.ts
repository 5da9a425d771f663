import { expect, it } from '@jest/globals'
import { describeOptions } from '@sluice/conformance/options'
import { manualClock } from '@sluice/testing'
import {
  attributedWindow,
  concurrency,
  createLimiter,
  fairShare,
  fixedWindow,
  gcra,
  leakyBucket,
  memoryStore,
  multiWindow,
  type Policy,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../../src/index.ts'
import * as strategies from '../../src/strategies/list.ts'

type Make = (options: object) => Policy

/** Every option of every strategy, and places within. */
// biome-ignore format: a table
const rows: readonly (readonly [make: (options: never) => Policy, right: object, places?: readonly string[]])[] = [
  // constructor            right                                                                            places within
  [attributedWindow,        { limit: 5, window: '1s', noteBytes: 64 }],
  [concurrency,             { limit: 5, lease: '1s' }],
  [fairShare,               { limit: 5, window: '1s', weight: 2, maxClients: 9, noteBytes: 64 }],
  [fixedWindow,             { limit: 5, window: '1s', start: 'clock' }],
  [gcra,                    { count: 5, period: '1s', burst: 4, maxDebt: '1m' }],
  [leakyBucket,             { capacity: 5, count: 5, period: '1s', maxDebt: '1m' }],
  [multiWindow,             { limits: [{ limit: 5, window: '1s' }, { limit: 9, window: '9s' }], slot: 100 }, ['limits[0]', 'limits[1].limit', 'limits[0].window']],
  [slidingWindowCounter,    { limit: 5, window: '1s' }],
  [slidingWindowLog,        { limit: 5, window: '1s' }],
  [tokenBucket,             { capacity: 5, count: 5, period: '1s', start: 'full', maxDebt: '1m' }],
  [uniform,                 { interval: '1s', maxDebt: '1m' }],
]

/** A number may be right by itself and wrong beside the others, a text may be a time. */
const numberOrText = (value: unknown) => typeof value === 'number' || typeof value === 'string'

/** At one instant a fresh key gets its limit and no more: by ones where they are few, else all at once. */
async function expectLimits(policy: Policy): Promise<void> {
  const { limit, windowMs } = policy
  expect(Number.isSafeInteger(limit) && limit >= 0).toBe(true)
  // null: it counts what is in flight.
  expect(windowMs ?? 1).toBeGreaterThan(0)
  expect(windowMs ?? 1).toBeLessThan(Number.MAX_SAFE_INTEGER)
  const limiter = createLimiter({ policy, store: memoryStore({ clock: manualClock() }) })
  const cost = limit <= 20 ? 1 : limit
  for (let taken = 0; taken < limit; taken += cost) await limiter.check('bob', { cost })
  const reason = limit === 0 ? 'too-costly' : 'limited'
  expect(await limiter.check('bob')).toMatchObject({ allowed: false, reason })
}

it('every strategy is tried', () => {
  expect(rows.map(([{ name }]) => name)).toEqual(Object.keys(strategies).sort())
})

for (const [make, right, within = []] of rows) {
  const names = Object.keys(right)
  const places = Object.fromEntries([...names, ...within].map((place) => [place, numberOrText]))
  describeOptions({ name: make.name, right, places, related: names, make: make as Make, judge: expectLimits })
}
