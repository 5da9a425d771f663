import { endingOf, settledTo } from '../history/asking.ts'
import { isOfManaged } from '../history/managed.ts'
import type { World } from '../history/world.ts'
import { factsOf } from './facts.ts'
import type { Invariant } from './invariant.ts'

interface Sums {
  taken: number
  heard: number
  given: number
  admitted: number
}

/** By process and count, what the server took, what was given back, and what callers got from the store and kept. */
function sumsOf({ record, plan: { scenario } }: World): Map<string, Sums> {
  const sums = new Map<string, Sums>()
  const of = (process: number, name: string): Sums => {
    const known = sums.get(`${process} ${name}`) ?? { taken: 0, heard: 0, given: 0, admitted: 0 }
    sums.set(`${process} ${name}`, known)
    return known
  }
  for (const { process, key, units, sent } of record.takes) {
    of(process, key).taken += units
    if (sent.heardUs !== undefined) of(process, key).heard += units
  }
  for (const { process, key, units } of record.gives) of(process, key).given += units
  for (const { plan, answer, endedUs } of record.calls) {
    if (answer === undefined) continue
    for (const { name, cost, receipt, allowed } of answer.said) {
      const isOfStore = receipt !== '' && !String(receipt).startsWith('local ')
      if (!isOfStore || !allowed) continue
      const returned =
        endedUs === undefined
          ? 0
          : endingOf(plan) === 'settle'
            ? Math.max(0, cost - settledTo(plan, cost))
            : cost
      of(plan.process, name).admitted +=
        cost - (isRate(scenario, name) && plan.operation === 'hold' ? 0 : returned)
    }
  }
  return sums
}

/** Places in flight are given back when their request is over; all other units stay. */
function isRate({ policies }: World['plan']['scenario'], name: string): boolean {
  return !policies.some((policy) => policy.strategy === 'concurrency' && name.includes(`:${policy.name}:`))
}

/** Each call that the store let pass has units that the store took and that nobody gave back. */
export const backed: Invariant = {
  name: 'each admission is backed by a take',
  *breaches(world) {
    const { isCalm } = factsOf(world)
    // A refund that a cluster cannot run in one call is sent again in parts, and seen here twice.
    if (world.plan.scenario.cluster?.isUnknown === true) return
    if (world.plan.faults.some(({ kind }) => kind === 'move-slot')) return
    if (world.plan.scenario.policies.some(({ strategy }) => strategy === 'concurrency')) return
    for (const [name, { taken, heard, given, admitted }] of sumsOf(world)) {
      if (isOfManaged(name)) continue
      if (admitted > taken - given)
        yield `${admitted} units passed of ${taken} taken and ${given} given back: process, count ${name}`
      if (isCalm && admitted < heard - given)
        yield `${heard} units were taken, ${given} given back, and only ${admitted} used: process, count ${name}`
    }
  },
}
