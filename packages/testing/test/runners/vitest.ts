// Run by vitest, in a process of its own: see runners.test.ts.
import { concurrency, createLimiter, fixedWindow, gcra, uniform } from '@sluice/core'
import { type FrozenTime, freeze, matchers, refusingLimiter } from '@sluice/testing'
import { afterEach, describe, expect, test, vi } from 'vitest'

expect.extend(matchers)

const minutely = fixedWindow({ limit: 1, window: '1m' })
const before = createLimiter({ name: 'before', policy: minutely })

describe('fake timers', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('move what is counted in memory', async () => {
    vi.useFakeTimers()
    for (const limiter of [before, createLimiter({ policy: minutely })]) {
      expect(await limiter.check('bob')).toBeAllowed()
      vi.advanceTimersByTime(59_999)
      expect(await limiter.check('bob')).toBeRefused({ by: 'default', retryAfterMs: 1 })
      vi.advanceTimersByTime(1)
      expect(await limiter.check('bob')).toBeAllowed({ remaining: 0 })
    }
  })

  test('wake callers that wait, and renew leases', async () => {
    vi.useFakeTimers()
    const limiter = createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }) })
    const places = createLimiter({ policy: concurrency({ limit: 1, lease: '30s' }) })
    await places.check('bob')
    await limiter.check('bob')
    const pending = limiter.wait('bob', { maxWait: '2h' })
    await vi.advanceTimersByTimeAsync(3_600_000)
    await expect(pending).resolves.toBeAllowed({ waitMs: 3_600_000 })
    expect(await places.check('bob')).toBeRefused()
  })

  test('of which only Date is faked say what time it is', async () => {
    vi.setSystemTime(new Date('2019-12-31T23:59:50Z'))
    const limiter = createLimiter({ policy: fixedWindow({ limit: 1, window: '1d', start: 'clock' }) })
    await limiter.check('bob')
    expect(await limiter.check('bob')).toBeRefused({ retryAfterMs: 10_000 })
  })

  test('that ended with a wait pending stop no later one', async () => {
    vi.useFakeTimers()
    const limiter = createLimiter({ policy: gcra({ count: 100, period: '1s', burst: 0 }) })
    await limiter.check('bob')
    const lost = limiter.wait('bob')
    await Promise.resolve()
    vi.useRealTimers()
    // On a slow machine one may have nothing to wait for.
    while ((await limiter.wait('alice')).waitMs === 0);
    await lost
  })
})

describe('freeze', () => {
  let time: FrozenTime
  afterEach(() => {
    time.restore()
  })

  test('moves what is counted in memory', async () => {
    time = freeze()
    expect(await before.check('carol')).toBeAllowed()
    await time.advance('59s')
    expect(await before.check('carol')).not.toBeAllowed()
    await time.advance('1s')
    await expect(before.check('carol')).resolves.toBeAllowed()
  })
})

test('the matchers say policy, what is left and when', async () => {
  const decision = await refusingLimiter({ retryAfter: '30s' }).check('bob')
  expect(() => expect(decision).toBeAllowed()).toThrow(
    'limiter "default" says: "default" refused key \'bob\' at a cost of 1 (limited): 0 of 100 left, again in 30000 ms',
  )
})
