import { describe, expect, it } from '@jest/globals'
import { lengthened, readJitter } from '../../src/waiting/wait.ts'

describe('jitter', () => {
  it.each([
    [undefined, undefined],
    [false, undefined],
    [true, [0.9, 1.1]],
    [
      [1, 1.5],
      [1, 1.5],
    ],
  ])('%p is %p', (value, factors) => {
    expect(readJitter(value)).toEqual(factors)
  })

  it.each([[0.5], ['yes'], [[]], [[1]], [[1.1, 0.9]], [[0, 1]], [[1, Number.NaN]], [[1, 2, 3]], [null]])(
    'refuses %p',
    (value) => {
      expect(() => readJitter(value)).toThrow(/^jitter: expected true, false, or two factors/)
    },
  )

  it('only lengthens, and by no more than one spacing', () => {
    const lengths = Array.from({ length: 2000 }, () => lengthened(10_000, 300, [0.5, 1.5]))
    expect(Math.min(...lengths)).toBe(10_000)
    expect(Math.max(...lengths)).toBe(10_300)
    expect(lengthened(0, 300, [2, 2])).toBe(0)
    expect(lengthened(100, 300, [2, 2])).toBe(200)
  })

  /**
   * A strict meter over the sorted instants of passing: of a million arrivals, 1.3 times as many as the policy lets pass, none may
   * be early, and in no span may more pass than the capacity, what the rate adds, and one unit.
   */
  it('lets at most one unit more pass in any span, of a million arrivals', () => {
    const spacingMs = 10
    const arrivals = 1_000_000
    const passing = new Float64Array(arrivals)
    let passed = 0
    let freeMs = 0
    let early = 0
    for (let nth = 0; nth < arrivals; nth++) {
      const nowMs = (nth * spacingMs) / 1.3
      const waitMs = Math.max(0, freeMs - nowMs)
      if (waitMs > 60_000) continue
      freeMs = Math.max(freeMs, nowMs) + spacingMs
      const sleptMs = lengthened(waitMs, spacingMs, [0.9, 1.1])
      if (sleptMs < waitMs) early++
      passing[passed++] = nowMs + sleptMs
    }
    const sorted = passing.subarray(0, passed).sort()
    let level = 0
    let lastMs = 0
    let most = 0
    for (const atMs of sorted) {
      level = Math.max(0, level - (atMs - lastMs) / spacingMs) + 1
      lastMs = atMs
      most = Math.max(most, level)
    }
    expect(early).toBe(0)
    expect(most).toBeLessThanOrEqual(2 + 1e-6)
    // The long-run rate is the policy's.
    expect(passed / (lastMs / spacingMs)).toBeGreaterThan(0.999)
  })
})
