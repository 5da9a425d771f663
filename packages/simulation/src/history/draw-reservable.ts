import type { Random } from '../random.ts'
import { canReserve } from './draw-calls.ts'
import type { CallPlan, PolicyPlan, Scenario } from './plan.ts'

const windows: readonly string[] = ['slidingWindowLog', 'slidingWindowCounter', 'fixedWindow', 'multiWindow']

interface Reserving {
  readonly policies: readonly PolicyPlan[]
  readonly calls: readonly CallPlan[]
}

/** In some histories the callers of windows reserve and wait, if those of all other policies can. */
export function drawReservable(
  random: Random,
  { policies, charge, aheadMs }: Scenario,
  calls: readonly CallPlan[],
): Reserving {
  const areWindows = policies.some(isWindow) && policies.every((each) => isWindow(each) || canReserve(each))
  const canBe = areWindows && charge === 'all-or-nothing' && aheadMs === 0
  if (!random.chance(0.3) || !canBe) return { policies, calls }
  return {
    policies: policies.map((policy) => (isWindow(policy) ? { ...policy, isReservable: true } : policy)),
    calls: calls.map((call) => {
      const operation = random.one(['check', 'reserve', 'wait', 'cancel'] as const)
      return call.operation === 'check' ? { ...call, operation } : call
    }),
  }
}

function isWindow({ strategy }: PolicyPlan): boolean {
  return windows.includes(strategy)
}
