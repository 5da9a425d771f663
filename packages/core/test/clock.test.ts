import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { createLimiter, fixedWindow, gcra, type Policy, tokenBucket } from '../src/index.ts'

const hourMs = 3_600_000
const realNow = Date.now

afterEach(() => {
  jest.restoreAllMocks()
})

/** All that reads the wall clock by its functions sees another one from here on. */
function stepWallClock(ms: number): void {
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ms)
}

const policies: readonly (readonly [string, Policy])[] = [
  ['fixedWindow', fixedWindow({ limit: 2, window: '30m' })],
  ['fixedWindow on the clock', fixedWindow({ limit: 2, window: '366d', start: 'clock' })],
  ['gcra', gcra({ count: 2, period: '30m' })],
  ['tokenBucket', tokenBucket({ capacity: 2, count: 2, period: '30m' })],
]

describe.each([
  ['forward', hourMs],
  ['back', -hourMs],
])('a wall clock that steps an hour %s under a memory store', (_direction, stepMs) => {
  it.each(policies)('changes nothing: %s', async (_title, policy) => {
    const limiter = createLimiter({ policy })
    await limiter.check('bob', { cost: 2 })
    await limiter.check('alice')
    await limiter.block('mallory', '30m')
    const before = await limiter.check('bob')
    stepWallClock(stepMs)
    const after = await limiter.check('bob')
    expect([before.allowed, after.allowed]).toEqual([false, false])
    const wentBy = Number(before.retryAfterMs) - Number(after.retryAfterMs)
    // As long as the test took; a step would be an hour.
    expect(Math.abs(wentBy)).toBeLessThan(10 * 60_000)
    expect((await limiter.peek('alice')).remaining).toBe(1)
    expect((await limiter.check('mallory')).reason).toBe('blocked')
    expect((await limiter.check('carol')).remaining).toBe(1)
    await limiter.close()
  })
})
