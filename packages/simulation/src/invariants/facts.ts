import { keyOf } from '../history/asking.ts'
import { listedKey, managedKey } from '../history/managed.ts'
import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'

/** What happened in a history that changes what may be promised in it. */
export interface Facts {
  /** Whether nothing went wrong that callers or processes should notice. */
  readonly isCalm: boolean
  /** Whether nothing went wrong that shows in more than counts: at most the server's clock was set. */
  readonly isQuiet: boolean
  /** How often the server lost something of its data. */
  readonly losses: number
  /** Of these, those that no process could notice. */
  readonly unnoticed: number
  /** How often the server's clock was set. */
  readonly clockSteps: number
  /** The latest instant at which anything was wrong. */
  readonly wrongUntilUs: number
}

/** Faults that go unnoticed: lost scripts are sent again, no wall clock of a process matters, and a slot that moves is followed. */
const unseen = ['flush-scripts', 'wall-clock', 'move-slot']

export function factsOf({ plan: { faults, scenario } }: World): Facts {
  let [losses, unnoticed, clockSteps, wrongUntilUs] = [0, 0, 0, 0]
  for (const fault of faults) {
    wrongUntilUs = Math.max(wrongUntilUs, fault.atUs + ('forMs' in fault ? fault.forMs * 1000 : 0))
    if (fault.kind === 'server-clock') clockSteps++
    // The server that has the slot then has another clock.
    if (fault.kind === 'move-slot' && scenario.cluster?.aheadMs !== 0) clockSteps++
    const isUnnoticed = fault.kind === 'flush' || (fault.kind === 'fail-over' && !fault.isNoticed)
    if (isUnnoticed) unnoticed++
    if (isUnnoticed || fault.kind === 'fail-over' || (fault.kind === 'restart' && !fault.keepsData)) losses++
  }
  // What a process gives back after it has closed is lost, as that of one that has died.
  const isLeft = scenario.closes !== undefined
  return {
    isCalm: !isLeft && clockSteps === 0 && faults.every(({ kind }) => unseen.includes(kind)),
    isQuiet: !isLeft && faults.every(({ kind }) => unseen.includes(kind) || kind === 'server-clock'),
    losses,
    unnoticed,
    clockSteps,
    wrongUntilUs,
  }
}

/** A call as it is shown. */
export function shown({ plan, hasOthers, askedUs, answeredUs, answer }: CallRecord): string {
  const said =
    answer === undefined ? 'nothing' : `${answer.allowed ? 'allowed' : answer.reason} by ${answer.source}`
  const by = hasOthers ? ' by chosen numbers' : ''
  return `${plan.operation} ${keyOf(plan.key)} x${plan.cost}${by} of process ${plan.process} at ${askedUs}, answered ${said} at ${answeredUs}`
}

export function isManaged({ plan }: CallRecord): boolean {
  return plan.key === managedKey
}

/** Whether a call is about the key that is put on lists: the store may not be asked for it. */
export function isListed({ plan }: CallRecord): boolean {
  return plan.key === listedKey
}

/** For how long a process stood still between two instants. */
export function stillUs(world: World, process: number, fromUs: number, toUs: number): number {
  let us = 0
  for (const still of world.processes[process]?.machine.stills ?? [])
    us += Math.max(0, Math.min(still.untilUs, toUs) - Math.max(still.fromUs, fromUs))
  return us
}

/** The cost that an answer is about: for a part what was taken, or one unit where nothing was. */
export function answeredCost({ plan: { operation, cost }, answer }: CallRecord): number {
  if (operation !== 'part' || answer === undefined) return cost
  return answer.allowed ? Math.min(...answer.said.map((said) => said.cost)) : 1
}

const circuits: readonly string[] = ['opened', 'half-open', 'recovered']

/** The latest event of a process's circuit before an instant, as its observers heard it. */
export function circuitAt({ record }: World, process: number, atUs: number): string | undefined {
  const told = record.told.filter(
    (each) => each.process === process && circuits.includes(each.kind) && each.atUs < atUs,
  )
  return told.at(-1)?.kind
}

/** The key that a caller named, from the name of a count. */
export function shortKey(name: string): string {
  return /\{([^}/]*)/.exec(name)?.[1] ?? ''
}

/** A call with units ahead, one with fewer, and one without. */
const mostAsks = 3

/** Whether the last caller of the epilogue may be too late over a slow way: units ahead are taken for one caller after the other, and slot by slot. */
export function lateByTurns({ plan: { scenario }, record }: World): boolean {
  const { aheadMs, cluster, deadlineMs, jitterUs, policies, processes, wayUs } = scenario
  if (aheadMs === 0 || cluster?.isSpread !== true) return false
  const calls = record.calls.filter(({ isEpilogue }) => isEpilogue).length
  const turns = Math.ceil(calls / processes) * policies.length * mostAsks
  return turns * 2 * (wayUs + jitterUs) > deadlineMs * 1000
}
