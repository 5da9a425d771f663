import type fc from 'fast-check'

const times = Number(process.env.SLUICE_TEST_RUNS ?? 1)

/** SLUICE_TEST_RUNS=20 runs each property twenty times as often; a store may ask for a share of that. */
export function runs(count: number, { share = 1 }: { readonly share?: number } = {}): fc.Parameters<unknown> {
  return { numRuns: Math.ceil(count * times * share) }
}

/** A property that runs on after its test has timed out disturbs the next one. */
export const propertyTimeoutMs: number = 300_000 * times
