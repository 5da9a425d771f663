import { createLimiter, gcra, type Limiter, type Policy, type Store } from '@sluice/core'
import { wide } from '../policies.ts'
import { silent } from '../silent.ts'

/** One key for everybody. */
export const hotKey = 'everybody'

export const hotNames = {
  plain: 'counter, each check asks Redis',
  ahead: 'counter, 20 ms ahead',
  plainGcra: 'GCRA, each check asks Redis',
  aheadGcra: 'GCRA, 20 ms ahead',
}

/** A run uses more of one key than other parts use of all of theirs. */
const widest = gcra({ count: 1_000_000, period: '1s', burst: 1_000_000_000 })

export type HotName = keyof typeof hotNames

const kinds: { readonly [N in HotName]: { readonly policy: Policy; readonly ahead?: '20ms' } } = {
  plain: { policy: wide.counter },
  ahead: { policy: wide.counter, ahead: '20ms' },
  plainGcra: { policy: widest },
  aheadGcra: { policy: widest, ahead: '20ms' },
}

/** Processes that ask with the same name count in the same key. */
export function hotLimiter(name: HotName, store: Store): Limiter<{ default: Policy }> {
  const { policy, ahead } = kinds[name]
  return createLimiter({ name, policy, store, ahead, logger: silent })
}
