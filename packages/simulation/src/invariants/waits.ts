import type { CallPlan } from '../history/plan.ts'
import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { shown, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** Timers are whole milliseconds, and late by some. */
const timerUs = 3_000
/** How often what is past its deadline is looked for again. */
const lookUs = 22_000

const mostJitter = 0.1

/** With units taken ahead: who has waited for units of others, and got none, is looked for once more; an act waits for what is under way. */
function longerAhead({ operation }: CallPlan, deadlineUs: number): number {
  return acts.includes(operation) ? 2 * deadlineUs + 2 * lookUs : 2 * lookUs
}

/** A list is changed, and then read by two calls at most. */
const changesUs = 3 * 2_000_000

/** How long a call may wait for the server; off the lists means off each of three. */
function deadlineOf({ operation }: CallPlan, deadlineUs: number): number {
  if (operation === 'unlist') return 3 * changesUs
  return listing.includes(operation) ? changesUs : deadlineUs
}

const listing = ['deny', 'refuse', 'allow']
const acts = ['penalize', 'reward', 'set', 'block', 'unblock', 'reset', 'inspect']

/** When a call that is asked now is answered at the latest. */
function latestUs(world: World, { plan, askedUs, answeredUs }: CallRecord): number {
  const { deadlineMs, connectDeadlineMs } = world.plan.scenario
  const deadlineUs = deadlineOf(plan, deadlineMs * 1000)
  const connectUs = Math.max(deadlineMs, connectDeadlineMs) * 1000
  // Where nobody counts, callers are spaced by chance.
  const waitMs = Math.min(plan.ms * (1 + mostJitter), plan.hangsUpMs ?? plan.ms * 2)
  // By a timer of its own, behind that of the deadline.
  const waitsUs = plan.operation === 'wait' ? waitMs * 1000 + timerUs : 0
  // Of the time for the first answer only what the process ran counts.
  const firstUs = connectUs + stillUs(world, plan.process, 0, askedUs)
  const byUs = askedUs < firstUs ? Math.max(askedUs + deadlineUs, firstUs + lookUs) : askedUs + deadlineUs
  const pauseUs = stillUs(
    world,
    plan.process,
    askedUs - 2 * deadlineUs,
    answeredUs ?? Number.POSITIVE_INFINITY,
  )
  const graceUs = pauseUs === 0 ? 0 : pauseUs + Math.min(pauseUs, deadlineUs) + 2 * lookUs
  const aheadUs = world.plan.scenario.aheadMs > 0 ? longerAhead(plan, deadlineUs) : 0
  return byUs + waitsUs + timerUs + graceUs + aheadUs
}

/** Nobody waits beyond the deadline, or before the store's first answer beyond the time for that. */
export const boundedWaits: Invariant = {
  name: 'nobody waits beyond the deadline',
  *breaches(world) {
    for (const call of world.record.calls) {
      if (world.processes[call.plan.process]?.machine.dead === true) continue
      const byUs = latestUs(world, call)
      if (call.answeredUs === undefined) yield `never answered: ${shown(call)}`
      else if (call.answeredUs > byUs) yield `${call.answeredUs - byUs} µs too late: ${shown(call)}`
    }
  },
}
