import type { Policy } from '../policy.ts'
import { type AnyStrategy, partsOf, type StrategyDraft } from './definition.ts'

const horizons = new WeakMap<Policy, number>()

/** How long a used-up key of this policy takes until its full limit is available again. */
export function horizonUs(policy: Policy): number {
  const known = horizons.get(policy)
  if (known !== undefined) return known
  const { definition, numbers, calendar } = partsOf(policy)
  const longestUs = calendar === undefined ? 0 : (definition.windowUsOf?.(numbers) ?? 0)
  const us = Math.max(longestUs, lifeOfFullUs(definition, numbers, policy.limit))
  horizons.set(policy, us)
  return us
}

function lifeOfFullUs(definition: AnyStrategy, numbers: unknown, limit: number): number {
  const nowUs = 0
  const draft: StrategyDraft = definition.look(numbers, undefined, nowUs, limit)
  const state: unknown = definition.take(undefined, draft, { nowUs, id: '', note: '' })
  return definition.idleUs(numbers, state, nowUs)
}
