import type { Random } from '../random.ts'
import type { CallPlan, Operation } from './plan.ts'

const ending: readonly Operation[] = ['refund', 'settle', 'cancel']

/** In some histories calls turn out to cost all that they were charged, or more, and some callers give back twice. */
export function drawEndings(random: Random, scale: number, calls: readonly CallPlan[]): readonly CallPlan[] {
  if (!random.chance(0.15)) return calls
  const isAgain = random.chance(0.5)
  return calls.map((call) => ({
    ...call,
    ...(call.operation === 'settle' &&
      random.chance(0.6) && { settlesTo: call.cost + scale * random.one([0, 1, 1, 2, 6]) }),
    ...(isAgain && ending.includes(call.operation) && random.chance(0.5) && { endsAgain: true as const }),
  }))
}
