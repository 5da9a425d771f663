import type { World } from '../history/world.ts'
import { shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** Of the callers that wait in one process for one key, none passes another that came before it. */
export const firstComeFirstServed: Invariant = {
  name: 'first come, first served',
  *breaches(world) {
    const { policies } = world.plan.scenario
    if (policies.length > 1 || policies[0]?.strategy !== 'concurrency') return
    const served = world.record.calls.filter(
      ({ plan, answer }) => plan.operation === 'wait' && answer?.allowed === true,
    )
    for (const earlier of served) {
      for (const later of served) {
        const { plan } = later
        if (plan.process !== earlier.plan.process || plan.key !== earlier.plan.key) continue
        if (plan.cost !== earlier.plan.cost || later.askedUs <= earlier.askedUs) continue
        if ((later.answeredUs ?? 0) < (earlier.answeredUs ?? 0))
          yield `${shown(later)}, before ${shown(earlier)}`
      }
    }
  },
}

/** Receipts of the callers that were answered with a place, as the server knows them. */
function served({ record }: World): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { plan, answer } of record.calls)
    for (const { receipt } of answer?.said ?? [])
      names.add(`${plan.process} ${String(receipt).replace(/^local /, '')}`)
  return names
}

/** A server that hung may give a place to a caller that has left: the server hears of its leaving, whatever the state of the circuit. */
export const leaversAreHeard: Invariant = {
  name: 'who leaves a line says so',
  *breaches(world) {
    const { record, processes, plan } = world
    if (plan.scenario.policies.some(({ onStoreFailure }) => onStoreFailure !== 'local')) return
    const names = served(world)
    const left = new Set(record.gives.map(({ process, own }) => `${process} ${own}`))
    for (const { process, key, own } of record.stands) {
      const name = `${process} ${own}`
      if (processes[process]?.machine.dead === true || names.has(name) || left.has(name)) continue
      yield `${own} of process ${process} for ${key}`
    }
  },
}
