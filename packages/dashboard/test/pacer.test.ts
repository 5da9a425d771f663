import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { Pacer } from '../src/pacer.ts'

beforeEach(() => {
  jest.useFakeTimers({ now: 1_700_000_000_400 })
})
afterEach(() => {
  jest.useRealTimers()
})

/** When steps were taken, in milliseconds of the clock's last digits. */
function paced(takes = 0, fails = false) {
  const at: number[] = []
  const pacer = new Pacer(Date.now, async () => {
    at.push(Date.now() % 100_000)
    if (takes > 0) await new Promise((resolve) => setTimeout(resolve, takes))
    if (fails) throw new Error('a limiter of the user')
  })
  return { at, pacer }
}

describe('a pacer', () => {
  // biome-ignore format: a table
  test.each([
    // a step takes  it fails  steps are taken at
    [0,              false,    [400, 1250, 2250, 3250, 4250]],
    [0,              true,     [400, 1250, 2250, 3250, 4250]],
    [900,            false,    [400, 2250, 4250]],
    [1400,           false,    [400, 2250, 4250]],
  ])('takes a step a quarter of a second into each second, never two at a time: %i ms each', async (takes, fails, expected) => {
    const { at, pacer } = paced(takes, fails)
    pacer.start()
    pacer.start()
    await jest.advanceTimersByTimeAsync(3900)
    expect(at).toEqual(expected)
    pacer.stop()
  })

  test('takes none before it is started and after it is stopped', async () => {
    const { at, pacer } = paced()
    await jest.advanceTimersByTimeAsync(3000)
    pacer.start()
    await jest.advanceTimersByTimeAsync(100)
    pacer.stop()
    await jest.advanceTimersByTimeAsync(5000)
    expect(at).toEqual([3400])
    pacer.start()
    expect(at).toEqual([3400, 8500])
    pacer.stop()
  })
})
