import type { FaultPlan } from '../history/plan.ts'
import type { Told } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

type Unable = Extract<FaultPlan, { readonly kind: 'no-writes' | 'busy' }>

function isUnable(fault: FaultPlan): fault is Unable {
  return fault.kind === 'no-writes' || fault.kind === 'busy'
}

/** After so long beyond the deadline, a probe that was sent before is over. */
const timersUs = 25_000

function wasAsked({ record, plan }: World, { process, atUs }: Told): boolean {
  const sinceUs = atUs - plan.scenario.deadlineMs * 1000 - timersUs
  return record.calls.some(
    ({ plan: call, askedUs }) => call.process === process && askedUs >= sinceUs && askedUs <= atUs,
  )
}

/** Only probes, which write, may report a server as well: a server that tells its time or refuses a key may be full all the same. */
export const wellWhenItIs: Invariant = {
  name: 'a server that cannot write is not said to be well',
  *breaches(world) {
    const { plan, record } = world
    const unable = plan.faults.filter(isUnable)
    const [fault] = unable
    // With several such faults, the end of one is the end of all.
    if (fault === undefined || unable.length > 1) return
    const fromUs = fault.atUs + plan.scenario.deadlineMs * 1000 + timersUs
    for (const told of record.told) {
      if (told.kind !== 'recovered' || told.atUs < fromUs || told.atUs > fault.atUs + fault.forMs * 1000)
        continue
      if (stillUs(world, told.process, fault.atUs, told.atUs) > 0 || wasAsked(world, told)) continue
      yield `process ${told.process} at ${told.atUs}`
    }
  },
}

/** After this many failed rounds the circuit is open. */
const mostRounds = 3

/** A server that cannot write still refuses used-up keys: those answers must not keep the circuit closed. */
export const opensWhereWritesFail: Invariant = {
  name: 'a server that cannot write is not asked again and again',
  *breaches(world) {
    const { plan, record } = world
    const apartUs = plan.scenario.deadlineMs * 1000 + timersUs
    for (const fault of plan.faults) {
      if (fault.kind !== 'no-writes') continue
      const rounds = new Map<number, { count: number; atUs: number }>()
      for (const { process, atUs, kind, about } of record.told) {
        if (kind !== 'failed' || !about.includes(fault.why)) continue
        const last = rounds.get(process) ?? { count: 0, atUs: Number.NEGATIVE_INFINITY }
        // Failures closer together may be of one round.
        if (
          atUs < fault.atUs + apartUs ||
          atUs > fault.atUs + fault.forMs * 1000 ||
          atUs < last.atUs + apartUs
        )
          continue
        rounds.set(process, { count: last.count + 1, atUs })
      }
      for (const [process, { count }] of rounds)
        if (count > mostRounds) yield `process ${process}: ${count} rounds from ${fault.atUs} on`
    }
  },
}
