import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  attributedWindow,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  multiWindow,
  type Policy,
  reservable,
  slidingWindowCounter,
  slidingWindowLog,
} from '../../src/index.ts'
import { policyFrom } from '../../src/strategies.ts'

type Waiting = Policy<'reserve' | 'refund' | 'penalize' | 'reward'>

const twoASecond = fixedWindow({ limit: 2, window: '1s' })

function moving() {
  const clock = manualClock()
  return { clock, store: memoryStore({ clock }) }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

describe('a reservable window', () => {
  // Of 2 in 1 s, all at once. The counter: two weigh one after 1500, one beside one weighs nothing at the next window's start, and so on.
  // The slot of a multi window counts for 100 ms longer.
  // biome-ignore format: a table
  it.each<[string, Waiting, readonly number[]]>([
    ['fixedWindow',          reservable(twoASecond),                                              [0, 0, 1000, 1000, 2000, 2000]],
    ['slidingWindowCounter', reservable(slidingWindowCounter({ limit: 2, window: '1s' })),        [0, 0, 1500, 2000, 3000, 4000]],
    ['slidingWindowLog',     reservable(slidingWindowLog({ limit: 2, window: '1s' })),            [0, 0, 1000, 1000, 2000, 2000]],
    ['multiWindow',          reservable(multiWindow({ limits: [{ limit: 2, window: '1s' }] })),   [0, 0, 1100, 1100, 2200, 2200]],
  ])('tells each caller when it is let in: %s', async (_name, policy, waits) => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy })
    const told: number[] = []
    for (let i = 0; i < waits.length; i++) told.push((await limiter.reserve('bob')).waitMs)
    expect(told).toEqual(waits)
  })

  it('lets callers of two limiters on one store in, first come, first served', async () => {
    const { clock, store } = moving()
    const policy = reservable(twoASecond)
    const limiters = [createLimiter({ store, policy }), createLimiter({ store, policy })]
    const began: number[] = []
    const all = Array.from({ length: 6 }, (_, i) => limiters[i % 2]?.run('bob', () => void began.push(i)))
    for (const expected of [
      [0, 1],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4, 5],
    ]) {
      await settle()
      expect(began).toEqual(expected)
      await clock.advance('1s')
    }
    await Promise.all(all)
  })

  it('refuses a check while anybody waits, and gives the turn of one that gives up to the next', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: reservable(twoASecond) })
    await limiter.check('bob')
    const wide = await limiter.reserve('bob', { cost: 2 })
    expect(wide.waitMs).toBe(1000)
    expect(await limiter.check('bob')).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 2000 })
    const gone = new AbortController()
    const waits = limiter.wait('bob', { signal: gone.signal })
    gone.abort(new Error('gone'))
    await expect(waits).rejects.toThrow('gone')
    await settle()
    expect((await limiter.reserve('bob')).waitMs).toBe(2000)
  })

  it('waits no longer than maxDebt, of a calendar’s windows within the next one', async () => {
    const { store } = moving()
    const policy = reservable(twoASecond, { maxDebt: '1s' })
    const limiter = createLimiter({ store, policy })
    for (const waitMs of [0, 0, 1000, 1000]) expect((await limiter.reserve('bob')).waitMs).toBe(waitMs)
    expect(await limiter.reserve('bob')).toMatchObject({ allowed: false, retryAfterMs: 1000 })
    const daily = fixedWindow({ limit: 1, every: 'day', timeZone: 'Europe/Vienna' })
    expect(() => reservable(daily, { maxDebt: '23h' })).toThrow(/^maxDebt: expected at most 22h here/)
  })

  it('is made of data by maxDebt', async () => {
    const data = policyFrom({ strategy: 'fixedWindow', limit: 2, window: '1s', maxDebt: '30s' })
    expect([data.strategy, 'reserve' in data.can]).toEqual(['fixedWindow', true])
    expect(policyFrom({ strategy: 'fixedWindow', limit: 2, window: '1s' }).can).not.toHaveProperty('reserve')
    expect(() =>
      policyFrom({ strategy: 'attributedWindow', limit: 2, window: '1s', maxDebt: '30s' }),
    ).toThrow(/maxDebt/)
  })

  it('refuses what is no window, and jitter, which lets callers in late', async () => {
    const others = [gcra({ count: 1, period: '1s' }), attributedWindow({ limit: 1, window: '1s' })]
    for (const policy of others)
      expect(() => reservable<'refund'>(policy)).toThrow(/^policy: expected a policy of fixedWindow, .* got/)
    expect(() => reservable(undefined as never)).toThrow(/^policy: expected a policy such as fixedWindow/)
    expect(() => reservable(twoASecond, { maxdebt: '1s' } as never)).toThrow(/did you mean "?maxDebt/)
    const limiter = createLimiter({ policy: reservable(twoASecond) })
    await expect(limiter.wait('bob', { jitter: true })).rejects.toThrow(
      /^jitter: expected false, as no window of fixedWindow holds more/,
    )
  })
})

it('a penalty lies no further ahead than units may be reserved', async () => {
  const clock = manualClock()
  const policy = reservable(slidingWindowCounter({ limit: 0, window: '1s' }), { maxDebt: 0 })
  const limiter = createLimiter({ policy, store: memoryStore({ clock }) })
  await limiter.penalize('bob', 1)
  await limiter.penalize('bob', 1)
  expect((await limiter.peek('bob', { cost: 0 })).resetAfterMs).toBeLessThanOrEqual(2000)
  await limiter.close()
})
