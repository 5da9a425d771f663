import { expect, test } from '@jest/globals'
import { Gradient } from '../src/gradient.ts'

const netflix = { tolerance: 1.5, queue: 4, smoothing: 0.2, probeEvery: 3, min: 5 }
const ms = 1000

function windowOf(latencyMs: number, mostInFlight: number, dropped = 0) {
  return { answered: 10, latencyUs: latencyMs * ms, mostInFlight, dropped }
}

test('the limit follows the formula of Gradient2Limit, and every third window is a probe', () => {
  const gradient = new Gradient(netflix)
  let limit = 20
  // biome-ignore format: a table
  const rows = [
    // latency ms, in flight, unloaded ms after it, limit after it
    [10, 20, 10, 20.8],    // 0.8 × 20 + 0.2 × (20 × 1 + 4)
    [30, 20, 10, 19.52],   // 1.5 × 10 / 30 = 0.5: 0.8 × 20.8 + 0.2 × (10.4 + 4)
    [30, 19, 10, 9.184],   // 0.8 × 19.52 + 0.2 × (9.76 + 4) = 18.368, and half of it to probe
    [12, 9, 12, 18.368],   // the probe says what is unloaded; back
    [24, 18, 12, 18.2496], // 1.5 × 12 / 24 = 0.75: 0.8 × 18.368 + 0.2 × (13.776 + 4)
  ] as const
  for (const [latencyMs, mostInFlight, unloadedMs, after] of rows) {
    limit = gradient.next(limit, windowOf(latencyMs, mostInFlight))
    expect([(gradient.unloadedUs ?? 0) / ms, limit]).toEqual([unloadedMs, expect.closeTo(after, 9)])
  }
})

test('a limit of which less than half is used stays, and such a window measures what is unloaded', () => {
  const gradient = new Gradient(netflix)
  expect(gradient.next(20, windowOf(10, 9))).toBe(20)
  expect(gradient.next(20, windowOf(20, 9))).toBe(20)
  expect(gradient.unloadedUs).toBe(12 * ms) // a fifth of the way
})

test('where more than a tenth is dropped the limit shrinks as far as one window may make it, also unused', () => {
  const gradient = new Gradient(netflix)
  expect(gradient.next(20, windowOf(10, 20, 1))).toBeCloseTo(20.8, 9)
  expect(gradient.next(20, windowOf(10, 20, 2))).toBeCloseTo(18.8, 9) // 0.8 × 20 + 0.2 × (10 + 4)
  expect(new Gradient(netflix).next(20, windowOf(10, 1, 2))).toBeCloseTo(18.8, 9)
})

test('a window in which nothing was answered teaches no latency', () => {
  const gradient = new Gradient(netflix)
  const next = gradient.next(20, { answered: 0, latencyUs: 0, mostInFlight: 20, dropped: 10 })
  expect([next, gradient.unloadedUs]).toEqual([expect.closeTo(18.8, 9), undefined])
})

test('windows that took no time, as on a clock that stands still, let the limit grow', () => {
  const gradient = new Gradient({ ...netflix, probeEvery: 2 })
  let limit = gradient.next(20, windowOf(0, 20))
  expect(limit).toBeCloseTo(20.8, 9)
  limit = gradient.next(limit, windowOf(0, 20)) // half of it to probe
  expect(gradient.next(limit, windowOf(0, 10))).toBeCloseTo(21.6, 9)
})

test('at the least limit every probe measures, so that a service that has become slower is found out', () => {
  const gradient = new Gradient(netflix)
  let limit = gradient.next(5, windowOf(10, 5))
  for (let i = 0; i < 6; i++) limit = Math.max(5, gradient.next(limit, windowOf(100, 5)))
  expect(gradient.unloadedUs).toBe(100 * ms)
})
