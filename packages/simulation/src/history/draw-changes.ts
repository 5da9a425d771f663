import type { Random } from '../random.ts'
import { hasOthers, withOther } from './draw-chosen.ts'
import { noKey } from './managed.ts'
import type { CallPlan, FaultPlan, PolicyPlan, Scenario } from './plan.ts'

interface Changing {
  readonly chosen: readonly PolicyPlan[]
  readonly changes?: true
  readonly calls: readonly CallPlan[]
}

/** In some histories one limit is changed while it runs, for a time, and restored, now and then while something is wrong. */
export function drawChanges(
  random: Random,
  { policies, queue, cluster, scale = 1, chosen = [], processes }: Scenario,
  { calls, faults }: { readonly calls: readonly CallPlan[]; readonly faults: readonly FaultPlan[] },
): Changing {
  const isPlain = queue === undefined && cluster === undefined
  const canBe = isPlain && calls.length > 0 && calls.every(({ chooses }) => chooses !== true)
  const changeable = policies.filter(hasOthers)
  if (!canBe || changeable.length === 0 || !random.chance(0.1)) return { chosen, calls }
  const own = random.one(changeable)
  const other = withOther(random, own, scale)
  const around = [...calls, ...faults]
  const made = Array.from({ length: random.whole(1, 4) }, (_, nth) => ({
    nth: calls.length + nth,
    atUs: Math.max(0, random.one(around).atUs + random.whole(-600_000, 300_000)),
    process: random.whole(0, processes - 1),
    operation: random.one(['change', 'change', 'restore'] as const),
    key: noKey,
    cost: 1,
    ms: random.one([150, 700, 3000]),
  }))
  return { chosen: [other], changes: true, calls: [...calls, ...made].sort((a, b) => a.atUs - b.atUs) }
}
