import type { Random } from '../random.ts'
import type { FaultPlan, Scenario } from './plan.ts'

/** Some histories have a cluster; in half of them slots move. */
export function drawCluster(
  random: Random,
  scenario: Scenario,
  untilUs: number,
): { readonly cluster: Scenario['cluster']; readonly faults: readonly FaultPlan[] } {
  if (!random.chance(0.1)) return { cluster: undefined, faults: [] }
  const isUnknown = random.chance(0.2)
  const isSpread = scenario.policies.length > 1 && random.chance(0.7)
  const aheadMs = random.one([0, 0, 0, -50, 50, 3000])
  const cluster = { isUnknown, isSpread, aheadMs }
  if (isUnknown || random.chance(0.4)) return { cluster, faults: [] }
  const faults = Array.from({ length: random.whole(1, 3) }, (): FaultPlan => {
    const forMs = random.one([20, 400, 1200, 2600])
    return { kind: 'move-slot', atUs: random.whole(0, untilUs), key: random.whole(0, 3), forMs }
  })
  return { cluster, faults }
}
