import { createLimiter, gcra, type Limiter, type Policy, type Store } from '@sluice/core'
import { silent } from '../calls.ts'
import { wide } from '../policies.ts'

/** One key for everybody. */
export const hotKey = 'everybody'

export const leaseNames = {
  plain: 'counter, each check asks Redis',
  leased: 'counter, lease of 20 ms',
  plainGcra: 'GCRA, each check asks Redis',
  leasedGcra: 'GCRA, lease of 20 ms',
}

/** A run uses more of one key than other parts use of all of theirs. */
const widest = gcra({ count: 1_000_000, period: '1s', burst: 1_000_000_000 })

export type LeaseName = keyof typeof leaseNames

const kinds: { readonly [N in LeaseName]: { readonly policy: Policy; readonly lease?: '20ms' } } = {
  plain: { policy: wide.counter },
  leased: { policy: wide.counter, lease: '20ms' },
  plainGcra: { policy: widest },
  leasedGcra: { policy: widest, lease: '20ms' },
}

/** Processes that ask with the same name count in the same key. */
export function hotLimiter(name: LeaseName, store: Store): Limiter<{ default: Policy }> {
  const { policy, lease } = kinds[name]
  return createLimiter({ name, policy, store, lease, logger: silent })
}
