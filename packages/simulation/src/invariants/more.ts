import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** Charges have names: process, count and receipt. Those of one window have the same. */
type Units = Map<string, number>

function add(units: Units, name: string, more: number): void {
  units.set(name, (units.get(name) ?? 0) + more)
}

/** What a call has cost more than the server has taken for it. A policy that counts requests charges nothing more. */
function moreOf({ plan: { scenario } }: World, call: CallRecord): Units {
  const units: Units = new Map()
  const { plan, endedUs, answer } = call
  if (endedUs === undefined || plan.settlesTo === undefined) return units
  for (const { take, cost, policy } of answer?.said ?? []) {
    const { strategy } = scenario.policies.find(({ name }) => name === policy) ?? {}
    if (take === undefined || strategy === 'uniform' || strategy === 'concurrency') continue
    add(units, `${plan.process} ${take.key} ${take.receipt}`, Math.max(0, plan.settlesTo - cost))
  }
  return units
}

/** What calls turn out to have cost more is charged once, and in calm times always. */
export const moreIsCharged: Invariant = {
  name: 'what a call has cost more is charged once',
  *breaches(world) {
    const { record, plan, processes } = world
    const { aheadMs, cluster } = plan.scenario
    if (aheadMs > 0 || cluster?.isUnknown === true || plan.faults.some(({ kind }) => kind === 'move-slot'))
      return
    const [asked, sent]: [Units, Units] = [new Map(), new Map()]
    for (const call of record.calls) for (const [name, units] of moreOf(world, call)) add(asked, name, units)
    for (const { process, key, own, units } of record.more) add(sent, `${process} ${key} ${own}`, units)
    for (const [name, units] of sent)
      if (units > (asked.get(name) ?? 0))
        yield `${units} units were charged, not ${asked.get(name) ?? 0}: ${name}`
    if (!factsOf(world).isCalm) return
    for (const [name, units] of asked) {
      const isGone = processes[Number.parseInt(name, 10)]?.machine.dead !== false
      if (!isGone && (sent.get(name) ?? 0) < units)
        yield `${sent.get(name) ?? 0} units were charged, not ${units}: ${name}`
    }
  },
}
