import type { CallPlan } from '../history/plan.ts'
import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { shown, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** How late timers may be: they have whole milliseconds, and fire a little late. */
const timerUs = 3_000
/** How often calls that are past their deadline are looked for. */
const lookUs = 22_000

const mostJitter = 0.1

/**
 * How much longer calls may take with units taken ahead: a call that waited in vain for units of others is looked for once more, and an
 * act waits for what is under way.
 */
function longerAhead({ operation }: CallPlan, deadlineUs: number): number {
  return acts.includes(operation) ? 2 * deadlineUs + 2 * lookUs : 2 * lookUs
}

/** How long a change of lists or limits may take: one call that changes, and at most two that read. */
const changesUs = 3 * 2_000_000

/** How long a call may wait for the server; `unlist` changes each of three lists. */
function deadlineOf({ operation }: CallPlan, deadlineUs: number): number {
  if (operation === 'unlist') return 3 * changesUs
  return listing.includes(operation) ? changesUs : deadlineUs
}

const listing = ['deny', 'refuse', 'allow', 'change', 'restore']
const acts = ['penalize', 'reward', 'set', 'block', 'unblock', 'reset', 'inspect']

/** When a call that is asked now is answered at the latest. */
function latestUs(world: World, { plan, askedUs, answeredUs }: CallRecord): number {
  const { deadlineMs, connectDeadlineMs } = world.plan.scenario
  const deadlineUs = deadlineOf(plan, deadlineMs * 1000)
  const connectUs = Math.max(deadlineMs, connectDeadlineMs) * 1000
  // Where nothing is counted, callers are spaced by chance.
  const waitMs = Math.min(plan.ms * (1 + mostJitter), plan.hangsUpMs ?? plan.ms * 2)
  // A wait has a timer of its own, after that of the deadline.
  const waitsUs = plan.operation === 'wait' ? waitMs * 1000 + timerUs : 0
  // In the time for the first answer, only the time that the process ran counts.
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

/** No caller waits beyond the deadline, or, before the store's first answer, beyond the time for that. */
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
