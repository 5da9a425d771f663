import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { observing } from '@sluice/core/internal'
import { Outages } from '../src/outages.ts'

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

it('a forbidden call is reported once in a minute, and the queue is away until then, even if other calls are answered', () => {
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const outages = new Outages(new observing.Reports([], { warn: log, error: log }), 'queue visits')
  for (let second = 0; second < 59; second++) {
    outages.failed(new Error("NOPERM this user has no permissions to run the 'brpop' command"))
    jest.advanceTimersByTime(1000)
    outages.answered()
  }
  expect(lines).toEqual([expect.stringContaining('brpop'), expect.stringContaining('SLUICE_FORBIDDEN')])
  jest.advanceTimersByTime(1000)
  outages.answered()
  expect(lines.slice(2)).toEqual([expect.stringContaining('answers again after')])
})
