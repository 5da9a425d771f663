import { gcra, type Policy, slidingWindowLog } from '../../src/index.ts'

export type HotPolicy = 'slidingWindowLog' | 'gcra'

interface Hot {
  readonly policy: Policy
  /** The most units in any time of so many µs. */
  most(us: number): number
}

const oneSecondUs = 1_000_000

/** Policies of one key that all processes ask for; each allows 1,000 units a second. */
export const hotPolicies: { readonly [name in HotPolicy]: Hot } = {
  slidingWindowLog: {
    policy: slidingWindowLog({ limit: 1000, window: '1s' }),
    most: (us) => 1000 * Math.ceil(us / oneSecondUs),
  },
  gcra: {
    policy: gcra({ count: 1000, period: '1s', burst: 499 }),
    most: (us) => 500 + Math.floor(us / 1000),
  },
}
