import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import { createLimiter, fixedWindow, gcra, memoryStore } from '../../src/index.ts'

const monthly = fixedWindow({ limit: 2, every: 'month', timeZone: 'UTC' })
const minutely = fixedWindow({ limit: 2, window: '1m' })
const expected =
  'since: expected a valid Date, milliseconds since 1970 (not seconds) or a string such as "2024-01-31T09:00:00Z", got'

describe('since', () => {
  it.each([
    [new Date(Number.NaN), 'an object (Date)'],
    [Number.NaN, 'NaN (number)'],
    [1_706_691_600, '1706691600 (number)'],
    [1e300, '1e+300 (number)'],
    ['2024-01-31', '"2024-01-31" (string)'],
    ['2024-01-31T09:00:00', '"2024-01-31T09:00:00" (string)'],
    ['2023-02-29T09:00:00Z', '"2023-02-29T09:00:00Z" (string)'],
    ['2024-13-01T09:00:00Z', '"2024-13-01T09:00:00Z" (string)'],
    [new Date('1700-01-31T09:00:00Z'), 'an object (Date)'],
    [null, 'null'],
    [{}, 'an object'],
    [true, 'true (boolean)'],
  ])('is refused where it is no instant: %s', async (since, got) => {
    const limiter = createLimiter({ policy: monthly })
    await expect(limiter.check('ada', { since: since as never })).rejects.toThrow(`${expected} ${got}`)
    await limiter.close()
  })

  it('is refused where no policy has windows of the calendar', async () => {
    const since = '2024-01-31T09:00:00Z'
    for (const policy of [minutely, gcra({ count: 2, period: '1m' })]) {
      const limiter = createLimiter({ policy })
      await expect(limiter.check('ada', { since })).rejects.toThrow(
        'since: expected to be left out, as no policy here has `every`',
      )
      await limiter.close()
    }
  })

  it('concerns those of several policies that have windows of the calendar', async () => {
    const clock = manualClock()
    const limiter = createLimiter({ policies: { monthly, minutely }, store: memoryStore({ clock }) })
    const { verdicts } = await limiter.check('ada', { since: clock.nowUs() / 1000 - 86_400_000 })
    expect(verdicts.monthly?.resetAfterMs).toBe(29 * 86_400_000)
    expect(verdicts.minutely?.resetAfterMs).toBe(60_000)
    await limiter.close()
  })

  it('is counted anew after many others, as the same customer', async () => {
    const clock = manualClock()
    const limiter = createLimiter({ policy: monthly, store: memoryStore({ clock }) })
    const startMs = clock.nowUs() / 1000
    for (let customer = 0; customer < 2500; customer++)
      await limiter.check(`customer ${customer}`, { since: startMs - customer * 60_000 })
    const { remaining, resetAfterMs } = await limiter.check('customer 7', { since: startMs - 7 * 60_000 })
    expect([remaining, resetAfterMs]).toEqual([0, 30 * 86_400_000 - 7 * 60_000])
    await limiter.close()
  })
})
