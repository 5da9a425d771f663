import type { EntryRecord, RunRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** How long a member waits for a reply. */
const patienceUs = 2_000_000

/** Whether the queue is a list that has lost nothing. */
function isListKept(world: World): boolean {
  return world.plan.scenario.queue?.isList === true && factsOf(world).losses === 0
}

/** Recounts what waits: a job that is taken is the oldest; one that is given back was not begun, and is the next. */
export const listIsInOrder: Invariant = {
  name: 'a list hands each job out once, the oldest first',
  *breaches(world) {
    if (!isListKept(world)) return
    const { entries, runs } = world.record
    const places = new Map<string, number>()
    const waiting: EntryRecord[] = []
    const holders = new Map<string, EntryRecord>()
    for (const entry of entries) {
      const { kind, ticket, process, ranUs } = entry
      const about = `${ticket}, ${kind} by process ${process} at ${ranUs}`
      if (kind === 'accepted') {
        places.set(ticket, places.size)
        waiting.push(entry)
      } else if (kind === 'taken') {
        if (waiting.shift()?.ticket !== ticket) yield `is not the oldest: ${about}`
        holders.set(ticket, entry)
      } else if (kind === 'back') {
        if (holders.get(ticket)?.process !== process) yield `has it not: ${about}`
        if (runs.some((run) => run.ticket === ticket && run.beganUs <= ranUs)) yield `has begun: ${about}`
        const [next] = waiting
        const isLater = next !== undefined && (places.get(ticket) ?? 0) > (places.get(next.ticket) ?? 0)
        if (isLater && (next.kind === 'accepted' || next.process === process))
          yield `is before ${next.ticket}: ${about}`
        holders.delete(ticket)
        waiting.unshift(entry)
      }
    }
    for (const run of runs) {
      const taken = holders.get(run.ticket)
      if (taken?.process !== run.process || taken.ranUs > run.beganUs)
        yield `${run.ticket} runs in process ${run.process} at ${run.beganUs}, which has not taken it`
    }
  },
}

/** A job that a member has heard of in time runs, unless its process dies, or leaves in an outage. */
export const listForgetsNothing: Invariant = {
  name: 'a list loses nothing that a member has heard of',
  *breaches(world) {
    if (!isListKept(world)) return
    const { isCalm } = factsOf(world)
    const { runs, entries } = world.record
    const begun = new Set(runs.map(({ ticket }: RunRecord) => ticket))
    const back = new Set(entries.filter(({ kind }) => kind === 'back').map(({ ticket }) => ticket))
    for (const { kind, ticket, process, ranUs, sent } of entries) {
      if (kind !== 'taken' || begun.has(ticket) || back.has(ticket)) continue
      const heardUs = sent.heardUs ?? Number.POSITIVE_INFINITY
      const isExcused =
        world.processes[process]?.machine.dead !== false ||
        heardUs - sent.sentUs >= patienceUs ||
        // A member may wait so long for the rest of what it takes before it gives anything back.
        heardUs + patienceUs >= leftUs(world, process)
      if (isCalm || !isExcused)
        yield `${ticket}, taken by process ${process} at ${ranUs}, heard at ${heardUs}`
    }
  },
}

/** When a process began to leave the queue. */
function leftUs({ plan, closingUs }: World, process: number): number {
  const { leaves } = plan.scenario.queue ?? {}
  return leaves?.process === process ? Math.min(leaves.atUs, closingUs) : closingUs
}

/** If a member is left, all jobs that were accepted are taken in the end, and the queue says so. */
export const listEndsEmpty: Invariant = {
  name: 'a list is empty in the end',
  *breaches(world) {
    const { processes, plan, record } = world
    if (!isListKept(world)) return
    const { leaves } = plan.scenario.queue ?? {}
    if (processes.every(({ nth, machine }) => machine.dead || nth === leaves?.process)) return
    const { waiting, done } = record.queueHealth ?? {}
    const count = (kind: EntryRecord['kind']) => record.entries.filter((entry) => entry.kind === kind).length
    const taken = count('taken') - count('back')
    if (waiting !== 0 || done !== taken || taken !== count('accepted'))
      yield `health says ${waiting} wait and ${done} are done, of ${count('accepted')}, and ${taken} were taken`
    for (const [ticket, state] of record.statuses) if (state !== 'unknown') yield `${ticket} is ${state}`
  },
}
