import { calendarOf } from './calendars.ts'
import { freshKey } from './managed.ts'
import type { CallPlan, PolicyPlan, Scenario, StrategyPlan } from './plan.ts'

/** How many units a key of a policy gets within a short time when it has used none. */
function mostWithin(us: number, plan: StrategyPlan): number {
  switch (plan.strategy) {
    case 'multiWindow':
      return Math.min(...plan.limits.map(([limit]) => limit))
    case 'uniform':
      return 1
    case 'gcra':
      return plan.burst + 1 + flowIn(us, plan)
    case 'tokenBucket':
      return (startsEmpty(plan) ? 0 : plan.capacity) + flowIn(us, plan)
    case 'leakyBucket':
      return plan.capacity + flowIn(us, plan)
    default:
      return plan.limit
  }
}

function flowIn(us: number, { count, periodMs }: { readonly count: number; readonly periodMs: number }) {
  return (us * count) / (periodMs * 1000)
}

/** How many units a key gets so of several policies, leaving out shadow policies. */
function mostOfAll(policies: readonly PolicyPlan[], us = 0): number {
  return Math.min(
    ...policies.map((policy) => (policy.shadow ? Number.POSITIVE_INFINITY : mostWithin(us, policy))),
  )
}

/** What calls of the epilogue cost: with fractions, so much that a few use up the limit. */
function epilogueCost({ policies, scale = 1 }: Scenario): number {
  return scale === 1 ? 1 : Math.max(1, Math.floor(mostOfAll(policies) / 6))
}

/** How many calls of the epilogue a key that has used nothing lets pass, where they come within this time. */
export function mostCalls(scenario: Scenario, us = 0): number {
  return Math.floor(mostOfAll(scenario.policies, us) / epilogueCost(scenario))
}

/** Whether a key that nobody has asked for begins with no units. */
export function startsEmpty(plan: StrategyPlan): boolean {
  return plan.strategy === 'tokenBucket' && plan.startsEmpty === true
}

/**
 * What calls of the epilogue ask for. With a calendar, the same window may run as before, and a bucket that starts empty may be full by
 * then: so they ask for a key that nobody has asked for yet.
 */
export function aboutEpilogue(scenario: Scenario): Pick<CallPlan, 'key' | 'cost' | 'since'> {
  const cost = epilogueCost(scenario)
  const calendar = calendarOf(scenario.policies)
  if (calendar === undefined) return { key: scenario.policies.some(startsEmpty) ? freshKey : 0, cost }
  const { since } = calendar
  return { key: freshKey, cost, ...(since !== undefined && { since }) }
}
