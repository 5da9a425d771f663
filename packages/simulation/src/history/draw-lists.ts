import type { Random } from '../random.ts'
import type { Added } from './draw-cuts.ts'
import { listedKey } from './managed.ts'
import type { CallPlan, Operation, Scenario } from './plan.ts'

const changes: readonly Operation[] = ['deny', 'refuse', 'allow', 'unlist']

/** In some histories a key is put on lists and taken off them, and is asked for in between. */
export function drawLists(random: Random, { processes }: Scenario, untilUs: number): Added {
  const calls: Omit<CallPlan, 'nth'>[] = []
  if (!random.chance(0.06)) return { calls, faults: [] }
  const call = (operation: Operation, atUs: number) =>
    calls.push({
      atUs,
      operation,
      process: random.whole(0, processes - 1),
      key: listedKey,
      cost: 1,
      ms: random.one([150, 700, 3000, 6000]),
    })
  for (let count = random.whole(1, 4); count > 0; count--) {
    const atUs = random.whole(0, untilUs)
    call(random.one(changes), atUs)
    for (let asked = random.whole(2, 6); asked > 0; asked--)
      call(random.one(['check', 'check', 'peek']), atUs + random.one([20_000, 1_500_000, 4_000_000]))
  }
  return { calls, faults: [] }
}
