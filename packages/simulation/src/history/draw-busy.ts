import type { Random } from '../random.ts'
import { operationsOf } from './draw-calls.ts'
import type { Added } from './draw-cuts.ts'
import { drawFault } from './draw-faults.ts'
import type { Operation, PolicyPlan, Scenario } from './plan.ts'

const mostCalls = 60
const givingBack: readonly Operation[] = ['refund', 'settle', 'cancel']

/** Mostly with one process: what it may admit is bounded more closely than with several, each of which may admit a limit of its own. */
interface Busy extends Added {
  readonly processes: number
}

/**
 * Some histories have only one to three keys, which are asked for all the time, about as often as the policies allow: before, during and
 * long after one fault or two, now and then by several callers at once.
 */
export function drawBusy(random: Random, scenario: Scenario, untilUs: number): Busy | undefined {
  const { policies } = scenario
  if (!random.chance(0.08) || policies.some(({ strategy }) => strategy === 'concurrency')) return undefined
  const processes = random.chance(0.7) ? 1 : scenario.processes
  const operations = drawOperations(random, scenario)
  const keys = random.one([1, 1, 2, 3])
  const unitUs = Math.max(20_000, ...policies.map(unitUsOf))
  const paceUs = (unitUs * random.one([0.5, 0.9, 1.1, 2])) / keys
  const fromUs = random.whole(0, untilUs / 6)
  const lastsUs = Math.min(untilUs - fromUs, mostCalls * paceUs)
  const faults = Array.from({ length: random.whole(1, 2) }, () =>
    drawFault(random, { ...scenario, processes }, fromUs + random.whole(0, lastsUs / 2)),
  )
  const calls: Added['calls'][number][] = []
  for (let atUs = fromUs; atUs < fromUs + lastsUs; atUs += random.whole(0, 2 * paceUs)) {
    const together = random.one([1, 1, 1, 2, 4])
    for (let nth = 0; nth < together; nth++) {
      calls.push({
        atUs: atUs + nth * random.whole(0, 1500),
        process: random.whole(0, processes - 1),
        operation: random.one(operations),
        key: random.whole(0, keys - 1),
        cost: random.chance(0.85) ? 1 : 2,
        ms: random.one([1, 150, 700]),
      })
    }
  }
  return { calls, faults, processes }
}

/** In half of these histories nothing is given back, as refunds make it less certain how much may pass. */
function drawOperations(random: Random, scenario: Scenario): readonly Operation[] {
  const isReservable = scenario.policies.some((policy) => policy.isReservable === true)
  const usual: readonly Operation[] = isReservable
    ? ['check', 'reserve', 'wait', 'cancel']
    : operationsOf(scenario).filter((operation) => operation !== 'peek')
  return random.chance(0.5) ? usual : usual.filter((operation) => !givingBack.includes(operation))
}

/** How long a unit takes to come back, in the long run. */
function unitUsOf(policy: PolicyPlan): number {
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
