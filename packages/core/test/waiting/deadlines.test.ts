import { afterEach, expect, it, jest } from '@jest/globals'
import { Deadlines, Waiting } from '../../src/waiting/deadlines.ts'

afterEach(() => {
  jest.useRealTimers()
})

/** Timers that keep this process. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

it('once they are stopped, no timer outlasts the last that waits', async () => {
  const before = timers()
  const deadlines = new Deadlines('mine', 60_000)
  let answer = (_: string) => {}
  const bounded = deadlines.bound(
    new Promise<string>((resolve) => {
      answer = resolve
    }),
  )
  deadlines.stop()
  expect(timers()).toBe(before + 1)
  answer('late')
  expect(await bounded).toBe('late')
  expect(timers()).toBe(before)
  await expect(deadlines.bound(Promise.reject(new Error('closed')))).rejects.toThrow('closed')
  expect(timers()).toBe(before)
})

it('a timer keeps the process while something waits, and no longer', async () => {
  const before = timers()
  const deadlines = new Deadlines('mine', 60_000)
  const [first, second, third] = [new Waiting(0), new Waiting(0), new Waiting(0)]
  for (const waiting of [first, second, third]) waiting.begin(deadlines.expiresAt())
  deadlines.add(first)
  deadlines.add(second)
  deadlines.leave(first)
  expect(timers()).toBe(before + 1)
  deadlines.leave(second)
  expect(timers()).toBe(before)
  deadlines.add(third)
  expect(timers()).toBe(before + 1)
  deadlines.leave(third)
  deadlines.stop()
})

// Each looks at all that wait only when the first of them is near: none is to hide the others.
// biome-ignore format: a table
it.each([
  // deadline  others begin at  what is left is waited for from
  [100,        60,              61],
  [100,        60,              99],
  [5000,       100,             4000],
  [5000,       4900,            4990],
])('what is left of a wait of %d ms ends with it, though others have begun after %d ms', async (ms, othersAt, from) => {
  jest.useFakeTimers()
  const deadlines = new Deadlines('mine', ms)
  const never = () => new Promise<void>(() => {})
  const startedAt = performance.now()
  const expiresAt = deadlines.expiresAt()
  await jest.advanceTimersByTimeAsync(othersAt)
  deadlines.bound(never()).catch(() => {})
  await jest.advanceTimersByTimeAsync(from - othersAt)
  let endedAt = 0
  class Rest extends Waiting {
    override expired() {
      endedAt = performance.now()
    }
  }
  deadlines.add(new Rest(expiresAt))
  await jest.advanceTimersByTimeAsync(ms + 100 - from)
  expect(endedAt - startedAt).toBeGreaterThanOrEqual(ms)
  expect(endedAt - startedAt).toBeLessThan(ms + 25)
})
