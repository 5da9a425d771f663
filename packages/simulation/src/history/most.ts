import type { PolicyPlan, StrategyPlan } from './plan.ts'

/** Units that a key of a policy gets at once when it has used none. */
function mostAtOnce(plan: StrategyPlan): number {
  switch (plan.strategy) {
    case 'multiWindow':
      return Math.min(...plan.limits.map(([limit]) => limit))
    case 'uniform':
      return 1
    case 'gcra':
      return plan.burst + 1
    case 'tokenBucket':
    case 'leakyBucket':
      return plan.capacity
    default:
      return plan.limit
  }
}

/** The same of several policies, as far as they refuse. */
export function mostOfAll(policies: readonly PolicyPlan[]): number {
  return Math.min(
    ...policies.map((policy) => (policy.shadow ? Number.POSITIVE_INFINITY : mostAtOnce(policy))),
  )
}
