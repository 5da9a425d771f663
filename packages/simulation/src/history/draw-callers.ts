import type { Random } from '../random.ts'
import { sinceOf } from './calendars.ts'
import type { CallPlan, Operation, PolicyPlan } from './plan.ts'

const noted: readonly string[] = ['fairShare', 'attributedWindow']

/** Operations on the window that runs, which have no `since`. */
const byHand: readonly Operation[] = ['penalize', 'reward', 'set', 'block', 'unblock', 'reset', 'inspect']

/**
 * Gives calls their callers: clients of one key, where a policy tells them apart, callers whose period began at an instant of its own, and
 * callers that hang up while they wait.
 */
export function drawCallers(
  random: Random,
  policies: readonly PolicyPlan[],
  calls: readonly CallPlan[],
): readonly CallPlan[] {
  const clients = policies.some(({ strategy }) => noted.includes(strategy)) ? random.whole(1, 4) : 0
  const hangUp = random.chance(0.6)
  const since = sinceOf(policies)
  return calls.map((call) => ({
    ...call,
    ...(since !== undefined && !byHand.includes(call.operation) && { since }),
    ...(clients > 0 && { client: random.whole(0, clients - 1) }),
    ...(hangUp && call.operation === 'wait' && drawEnd(random)),
  }))
}

function drawEnd(random: Random): Partial<CallPlan> {
  return {
    ...(random.chance(0.5) && { hangsUpMs: random.one([0, 1, 15, 60, 200]) }),
    ...(random.chance(0.3) && { runs: true as const }),
  }
}
