import { changeBy } from '../history/entries.ts'
import type { EntryRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** What the server has done with entries, by ticket, in the server's order. */
function byTicket({ record }: World): Map<string, EntryRecord[]> {
  const all = new Map<string, EntryRecord[]>()
  for (const entry of record.entries) {
    const known = all.get(entry.ticket)
    if (known === undefined) all.set(entry.ticket, [entry])
    else known.push(entry)
  }
  return all
}

/** Whether the server's clock was set back: then the entries of a dead member stay its own for that much longer. */
function waitsLonger({ plan: { faults } }: World): boolean {
  return faults.some((fault) => fault.kind === 'server-clock' && fault.ms < 0)
}

/** While data is kept, each job that the server took ends, and its ticket says how. */
export const jobsEnd: Invariant = {
  name: 'no job is lost while data is kept',
  *breaches(world) {
    const { record, processes, plan } = world
    if (record.offers.length === 0 || factsOf(world).losses > 0 || waitsLonger(world)) return
    const { leaves, isList } = plan.scenario.queue ?? {}
    if (isList === true || processes.every(({ nth, machine }) => machine.dead || nth === leaves?.process))
      return
    const entries = byTicket(world)
    for (const [ticket, [accepted, ended]] of entries)
      if (ended === undefined) yield `${ticket}, accepted at ${accepted?.ranUs}, never ended`
    for (const { answer, askedUs } of record.offers) {
      if (answer?.allowed !== true) continue
      const [, ended] = entries.get(answer.ticket) ?? []
      const said = record.statuses.get(answer.ticket)
      if (said !== ended?.kind)
        yield `${answer.ticket}, offered at ${askedUs}, is ${said}, not ${ended?.kind}`
    }
    const count = (kind: EntryRecord['kind']) => record.entries.filter((entry) => entry.kind === kind).length
    const { done, dead } = record.queueHealth ?? {}
    if (done !== count('done') || dead !== count('failed'))
      yield `health says ${done} done and ${dead} dead, of ${count('done')} and ${count('failed')}`
  },
}

/** A job ends once, as done when an attempt was, as failed when its attempts are used up. */
export const endsAreTrue: Invariant = {
  name: 'a job ends once, as its work did',
  *breaches(world) {
    const { record, plan } = world
    const { maxAttempts = 0, isList } = plan.scenario.queue ?? {}
    if (isList === true) return
    for (const [ticket, entries] of byTicket(world)) {
      const ends = entries.filter(({ kind }) => kind !== 'accepted')
      if (ends.length > 1 && factsOf(world).losses === 0) yield `${ticket} ended ${ends.length} times`
      for (const { kind, process, attempt, sent, ranUs } of ends) {
        // A job that a process gets again while it runs there goes on as the new attempt; a lost one comes again later.
        const run = record.runs.findLast(
          (each) =>
            each.ticket === ticket &&
            each.process === process &&
            each.attempt <= attempt &&
            each.beganUs <= sent.sentUs,
        )
        const isDone = run !== undefined && !run.threw && (run.endedUs ?? ranUs) <= sent.sentUs
        if (kind === 'done' ? !isDone : attempt < maxAttempts)
          yield `${ticket} is ${kind} at ${ranUs}, by attempt ${attempt}`
      }
    }
  },
}

/** At most as many jobs wait or run as the limit says; in a list, at most as many wait. */
export const boundedQueue: Invariant = {
  name: 'no more jobs are taken than there is room for',
  *breaches(world) {
    const { queue } = world.plan.scenario
    if (queue === undefined || factsOf(world).losses > 0) return
    let count = 0
    for (const entry of world.record.entries) {
      count += changeBy(entry)
      // A job that a member of a list gives back was admitted before.
      if (count > queue.limit && entry.kind === 'accepted')
        yield `${count} jobs at ${entry.ranUs}, of ${queue.limit}`
    }
  },
}
