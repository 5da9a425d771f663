import type { Random } from '../random.ts'
import type { PolicyPlan, Scenario } from './plan.ts'

/** In some histories token buckets start empty. */
export function drawEmpty(
  random: Random,
  policies: readonly PolicyPlan[],
  { aheadMs }: Scenario,
): readonly PolicyPlan[] {
  if (aheadMs > 0 || !random.chance(0.3)) return policies
  return policies.map((policy) =>
    policy.strategy === 'tokenBucket' && policy.blockForMs === 0 ? { ...policy, startsEmpty: true } : policy,
  )
}
