import type fc from 'fast-check'

const times = Number(process.env.SLUICE_TEST_RUNS ?? 1)

/** One seed for all properties, so that a failure comes back; SLUICE_TEST_RUNS=20 runs each twenty times as often. */
export function runs(count: number): fc.Parameters<unknown> {
  return { seed: 20_261_121, numRuns: count * times }
}

/** A property that runs on after its test has timed out disturbs the next one. */
export const propertyTimeoutMs: number = 30_000 * times
