import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { concurrency, createLimiter, type Decider, fixedWindow, gcra, uniform } from '@sluice/core'
import { freeze, manualClock } from '../src/index.ts'

const minutely = fixedWindow({ limit: 1, window: '1m' })
const allows = async (limiter: Decider<string>) => (await limiter.check('bob')).allowed

/** Another copy, loaded now. */
function loaded(): typeof import('@sluice/core') {
  let copy: typeof import('@sluice/core') | undefined
  jest.isolateModules(() => {
    copy = require('@sluice/core')
  })
  if (copy === undefined) throw new Error('not loaded')
  return copy
}

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

describe('the fake timers of jest', () => {
  const before = createLimiter({ name: 'before', policy: minutely })

  beforeEach(() => {
    jest.useFakeTimers()
  })

  it('move what is counted in memory, by limiters from before and from now', async () => {
    for (const limiter of [before, createLimiter({ policy: minutely })]) {
      expect([await allows(limiter), await allows(limiter)]).toEqual([true, false])
      jest.advanceTimersByTime(59_999)
      expect(await allows(limiter)).toBe(false)
      jest.advanceTimersByTime(1)
      expect(await allows(limiter)).toBe(true)
    }
  })

  it('say what time it is', async () => {
    jest.setSystemTime(new Date('2019-12-31T23:59:50Z'))
    const limiter = createLimiter({ policy: fixedWindow({ limit: 1, window: '1d', start: 'clock' }) })
    await limiter.check('bob')
    expect((await limiter.check('bob')).retryAfterMs).toBe(10_000)
    jest.setSystemTime(new Date('2020-01-01T00:00:00Z'))
    expect(await allows(limiter)).toBe(true)
  })

  it('wake callers that wait', async () => {
    const limiter = createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }) })
    await limiter.check('bob')
    const pending = limiter.wait('bob', { maxWait: '2h' })
    await jest.advanceTimersByTimeAsync(3_600_000)
    expect((await pending).waitMs).toBe(3_600_000)
  })

  it('renew leases', async () => {
    const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '30s' }) })
    const held = await limiter.check('bob')
    await jest.advanceTimersByTimeAsync(600_000)
    expect(await allows(limiter)).toBe(false)
    await held.release()
    expect(await allows(limiter)).toBe(true)
  })

  it('that ended with a wait pending stop no later one', async () => {
    const limiter = createLimiter({ policy: gcra({ count: 100, period: '1s', burst: 0 }) })
    await limiter.check('bob')
    const lost = limiter.wait('bob')
    await Promise.resolve()
    jest.useRealTimers()
    // On a slow machine one may have nothing to wait for.
    while ((await limiter.wait('alice')).waitMs === 0);
    await lost
  })

  it('hold a count in the future for no longer than a window', async () => {
    const limiter = createLimiter({ policy: minutely })
    jest.setSystemTime(new Date('2040-01-01T00:00:00Z'))
    await limiter.check('bob')
    jest.useRealTimers()
    const refused = await limiter.check('bob')
    expect(refused.allowed).toBe(false)
    expect(refused.retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  it('may be there before the package is loaded', async () => {
    const { createLimiter } = loaded()
    const limiter = createLimiter({ policy: minutely })
    expect([await allows(limiter), await allows(limiter)]).toEqual([true, false])
    jest.advanceTimersByTime(60_000)
    expect(await allows(limiter)).toBe(true)
    jest.useRealTimers()
    const short = createLimiter({ policy: fixedWindow({ limit: 1, window: '1s' }) })
    expect([await allows(short), await allows(short)]).toEqual([true, false])
    while (!(await allows(short))) await new Promise((resolve) => setTimeout(resolve, 10))
  })

  it('leave frozen time alone, and its steps', async () => {
    const time = freeze()
    try {
      const limiter = createLimiter({ policy: minutely })
      await limiter.check('bob')
      jest.advanceTimersByTime(60_000)
      expect(await allows(limiter)).toBe(false)
      const second = createLimiter({ policy: uniform({ interval: '1s' }) })
      await second.check('bob')
      const pending = second.wait('bob')
      await time.advance('1m')
      await pending
      expect(await allows(limiter)).toBe(true)
    } finally {
      time.restore()
    }
    const clock = manualClock()
    void clock.sleep?.(5)
    await clock.advance(10)
  })
})

describe('half of the fake timers of jest', () => {
  /** What a copy of its own warns of while a caller waits. */
  async function warnings(
    doNotFake: 'Date' | 'setTimeout',
    pass: () => Promise<unknown>,
  ): Promise<unknown[]> {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    // What delays callers comes with the strategy, so it is the copy's too.
    const { createLimiter, uniform } = loaded()
    jest.useFakeTimers({ doNotFake: [doNotFake] })
    // Longer than a busy machine takes for a step of this test.
    const limiter = createLimiter({ policy: uniform({ interval: '10s' }) })
    await limiter.check('bob')
    const pending = [limiter.wait('bob'), limiter.wait('bob')].map((each) => each.catch(() => {}))
    await pass()
    await limiter.close()
    await Promise.all(pending)
    return warn.mock.calls
  }

  const options = { type: 'SluiceWarning', code: 'SLUICE_FAKE_TIMERS' }

  it('are warned of once: Date', async () => {
    expect(await warnings('setTimeout', async () => {})).toEqual([
      [expect.stringMatching(/^Date is faked, setTimeout is not: callers that wait .* never wake/), options],
    ])
  })

  it('are warned of once: setTimeout', async () => {
    expect(await warnings('Date', () => jest.advanceTimersByTimeAsync(30_000))).toEqual([
      [expect.stringMatching(/^setTimeout is faked, Date is not: /), options],
    ])
  })
})
