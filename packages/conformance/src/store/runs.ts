import fc from 'fast-check'

const times = Number(process.env.SLUICE_TEST_RUNS ?? 1)
const usualSeed = Number(process.env.SLUICE_TEST_SEED ?? 20_261_121)

/**
 * The environment may ask for each property many times as often, and a store for a share of that. All histories have one seed, so that a
 * suite which has passed passes again; the environment or `fc.configureGlobal` may set another.
 */
export function runs(count: number, { share = 1 }: { readonly share?: number } = {}): fc.Parameters<unknown> {
  const { seed = usualSeed } = fc.readConfigureGlobal()
  return { numRuns: Math.ceil(count * times * share), seed }
}

/** A property that runs on after its test has timed out disturbs the next one. */
export const propertyTimeoutMs: number = 300_000 * Math.max(times, 1)
