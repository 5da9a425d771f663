import { expect } from '@jest/globals'
import type { Report } from '../../src/crowd/report.ts'
import type { TestResult } from '../../src/crowd/test-result.ts'
import { startCrowd } from './running.ts'

/** What a command line prints as JSON, if it goes well. */
export async function reported(...args: readonly string[]): Promise<Report> {
  const { code, stdout } = await (await startCrowd(...args, '--json')).ended
  expect(code).toBe(0)
  return JSON.parse(stdout) as Report // what follows looks at it
}

export function named({ tests }: Report, name: string): TestResult {
  const found = tests.find((test) => test.name === name)
  if (found === undefined) throw new Error(`no test ${name}`)
  return found
}

/** What the whole crowd is for. */
export function expectFacts(report: Report, allowed: number): void {
  expect(named(report, 'log').mostInWindow).toBe(allowed)
  expect(named(report, 'gang').mostInWindow).toBeGreaterThan(1.5 * allowed)
  expect(named(report, 'pair').mostInWindow).toBe(allowed)
  for (const { offered, admitted, refused, failed } of report.tests) {
    expect({ offered, failed }).toEqual({ offered: admitted + refused, failed: 0 })
  }
}
