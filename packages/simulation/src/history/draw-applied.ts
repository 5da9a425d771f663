import type { Random } from '../random.ts'
import { listedKey } from './managed.ts'
import type { CallPlan, Operation, Scenario } from './plan.ts'

const asking: readonly Operation[] = ['check', 'peek', 'refund', 'settle', 'reserve', 'wait', 'cancel']

/** In some histories with several policies some calls leave one of them out, or cost more by one than by another. */
export function drawApplied(
  random: Random,
  { policies, scale = 1 }: Pick<Scenario, 'policies' | 'scale'>,
  calls: readonly CallPlan[],
): readonly CallPlan[] {
  const canBe = policies.length > 1 && policies.every(({ strategy }) => strategy !== 'concurrency')
  if (!canBe || !random.chance(0.25)) return calls
  // The callers of a calendar's windows may say when their period began, which without such a policy is an error.
  const skippable = policies.flatMap((policy, nth) => ('calendar' in policy ? [] : [nth]))
  return calls.map((call) => {
    if (!asking.includes(call.operation) || call.key === listedKey) return call
    const skips = random.chance(0.4) ? random.one(skippable) : undefined
    const isUneven = call.operation !== 'settle' && random.chance(0.3)
    return {
      ...call,
      ...(skips !== undefined && { skips }),
      ...(isUneven && { costs: policies.map(() => call.cost + random.whole(0, 2) * scale) }),
    }
  })
}
