import type { Policy } from '../policy.ts'
import type { StrategyDraft } from './definition.ts'
import { partsOf } from './policy-parts.ts'

const horizons = new WeakMap<Policy, number>()

/** How long a used-up key of this policy takes until its full limit is available again. */
export function horizonUs(policy: Policy): number {
  const known = horizons.get(policy)
  if (known !== undefined) return known
  const { definition, numbers, calendar, units } = partsOf(policy)
  const call = { nowUs: 0, id: '', note: '' }
  const draft: StrategyDraft = definition.look(numbers, undefined, call.nowUs, units)
  const state: unknown = definition.take(undefined, draft, call)
  const longestUs = calendar === undefined ? 0 : (definition.windowUsOf?.(numbers) ?? 0)
  const us = Math.max(longestUs, definition.idleUs(numbers, state, call.nowUs))
  horizons.set(policy, us)
  return us
}
