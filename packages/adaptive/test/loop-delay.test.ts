import { afterEach, expect, jest, test } from '@jest/globals'
import { Lateness, TimedLoopDelay } from '../src/loop-delay.ts'

afterEach(() => {
  jest.useRealTimers()
})

// biome-ignore format: a table
const rows = [
  // ms since the last row, tick or look, ms late after it
  [ 20, 'tick',  0  ],
  [ 60, 'look', 10  ], // 40 late, a quarter of it
  [  0, 'tick', 10  ],
  [ 10, 'look', 10  ], // not due yet
  [ 10, 'tick',  7.5],
  [120, 'tick', 30.625], // 7.5 + (100 − 7.5) / 4
] as const

test('a quarter of what is late counts, at once, and fades with each tick', () => {
  let nowMs = 1000
  const lateness = new Lateness(() => nowMs)
  for (const [passedMs, what, expected] of rows) {
    nowMs += passedMs
    if (what === 'tick') lateness.tick()
    expect(lateness.ms).toBe(expected)
  }
})

test('those who wait behind a block are decided by it, before any timer has fired', () => {
  const delay = new TimedLoopDelay()
  expect(delay.delayMs).toBeLessThan(1)
  const untilMs = performance.now() + 120
  while (performance.now() < untilMs);
  expect(delay.delayMs).toBeGreaterThanOrEqual((120 - 20 - 1) / 4)
  delay.close()
  expect(delay.delayMs).toBe(0)
})

test('it has no timer before it is asked and none after it is closed, and keeps no process', () => {
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
  const before = timers()
  const delay = new TimedLoopDelay()
  delay.close()
  expect([delay.delayMs, timers()]).toEqual([0, before])
  const asked = new TimedLoopDelay()
  expect([asked.delayMs < 1, timers()]).toEqual([true, before]) // one that keeps no process is not listed
  asked.close()
})

test('it ticks by itself: an event loop that is never late stays at 0', () => {
  jest.useFakeTimers()
  const delay = new TimedLoopDelay()
  expect(delay.delayMs).toBe(0)
  jest.advanceTimersByTime(10_000)
  expect(delay.delayMs).toBe(0)
  expect(jest.getTimerCount()).toBe(1)
  delay.close()
  expect(jest.getTimerCount()).toBe(0)
})
