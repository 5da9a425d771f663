import { expect, it } from '@jest/globals'
import { Deadlines } from '../../src/waiting/deadlines.ts'

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
