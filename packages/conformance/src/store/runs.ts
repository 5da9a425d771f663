import type fc from 'fast-check'

const times = Number(process.env.SLUICE_TEST_RUNS ?? 1)

/** The environment may ask for each property many times as often, and a store for a share of that. */
export function runs(count: number, { share = 1 }: { readonly share?: number } = {}): fc.Parameters<unknown> {
  return { numRuns: Math.ceil(count * times * share) }
}

/** A property that runs on after its test has timed out disturbs the next one. */
export const propertyTimeoutMs: number = 300_000 * Math.max(times, 1)
