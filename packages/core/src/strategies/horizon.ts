import type { Policy } from '../policy.ts'
import type { AnyStrategy, StrategyDraft } from './definition.ts'
import { partsOf } from './policy-parts.ts'

const horizons = new WeakMap<Policy, number>()

/** How long a used-up key of this policy takes until its full limit is available again. */
export function horizonUs(policy: Policy): number {
  const known = horizons.get(policy)
  if (known !== undefined) return known
  const us = lifeUs(policy, partsOf(policy).units)
  horizons.set(policy, us)
  return us
}

/** How long a store keeps a key of this policy, at most, once this many units have been taken at once. */
function lifeUs(policy: Policy, units: number): number {
  const { definition, numbers, calendar } = partsOf(policy)
  const longestUs = calendar === undefined ? 0 : (definition.windowUsOf?.(numbers) ?? 0)
  return Math.max(longestUs, lifeOfTakenUs(definition, numbers, units))
}

function lifeOfTakenUs(definition: AnyStrategy, numbers: unknown, units: number): number {
  const nowUs = 0
  const draft: StrategyDraft = definition.look(numbers, undefined, nowUs, units)
  const state: unknown = definition.take(undefined, draft, { nowUs, id: '', note: '' })
  return definition.idleUs(numbers, state, nowUs)
}
