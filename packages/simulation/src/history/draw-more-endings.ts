import type { Random } from '../random.ts'
import type { CallPlan, Operation, PolicyPlan } from './plan.ts'

const kept: readonly Operation[] = ['part', 'reserve', 'wait']

/** In some histories callers also give back parts, and what they had reserved or waited for. */
export function drawMoreEndings(
  random: Random,
  policies: readonly PolicyPlan[],
  calls: readonly CallPlan[],
): readonly CallPlan[] {
  if (policies.some(({ strategy }) => strategy === 'concurrency') || !random.chance(0.2)) return calls
  return calls.map((call) => {
    if (!kept.includes(call.operation) || call.runs === true || random.chance(0.4)) return call
    // What a call has cost in the end is one amount for all policies.
    return { ...call, ends: call.costs === undefined && random.chance(0.5) ? 'settle' : 'refund' }
  })
}
