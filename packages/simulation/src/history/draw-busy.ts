import type { Random } from '../random.ts'
import { operationsOf } from './draw-calls.ts'
import type { CallPlan, PolicyPlan, Scenario } from './plan.ts'

/** In some histories one key is asked all the while, about as often as its policies allow: before, in and long after an outage. */
export function drawBusy(
  random: Random,
  scenario: Scenario,
  untilUs: number,
): readonly Omit<CallPlan, 'nth'>[] {
  const { policies, processes } = scenario
  if (!random.chance(0.05) || policies.some(({ strategy }) => strategy === 'concurrency')) return []
  const operations = operationsOf(scenario).filter((operation) => operation !== 'peek')
  const paceUs = Math.max(50_000, ...policies.map(unitUs)) * random.one([0.3, 0.6, 0.9, 1.1, 1.5])
  const calls: Omit<CallPlan, 'nth'>[] = []
  for (let atUs = random.whole(0, untilUs / 4); atUs < untilUs; atUs += random.whole(0, 2 * paceUs)) {
    calls.push({
      atUs,
      process: random.whole(0, processes - 1),
      operation: random.one(operations),
      key: 0,
      cost: random.chance(0.85) ? 1 : 2,
      ms: random.one([1, 150, 700]),
    })
  }
  return calls
}

/** How long a unit takes to come back, in the long run. */
function unitUs(policy: PolicyPlan): number {
  switch (policy.strategy) {
    case 'gcra':
    case 'tokenBucket':
    case 'leakyBucket':
      return (policy.periodMs * 1000) / policy.count
    case 'uniform':
      return policy.intervalMs * 1000
    case 'multiWindow':
      return Math.max(...policy.limits.map(([limit, windowMs]) => (windowMs * 1000) / limit))
    case 'concurrency':
      return 0
    default:
      // A calendar's window does not end within a history.
      return Math.min(1_000_000, (policy.windowMs * 1000) / policy.limit)
  }
}
