import { calendarOf } from '../history/calendars.ts'
import { mostCalls } from '../history/most.ts'
import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf, lateByTurns, shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** Some time after the last fault the store decides again, exactly, for every process. */
export const recovers: Invariant = {
  name: 'exact again when all is well',
  *breaches(world) {
    const calls = world.record.calls.filter(({ isEpilogue }) => isEpilogue)
    if (calls.length === 0 || isLockedOut(world) || sharesOneCount(world)) return
    const isLate = lateByTurns(world)
    let allowed = 0
    for (const call of calls) {
      const isDecided = call.answer?.source === 'redis'
      if (call.answer !== undefined && !isDecided && !isLate) yield `not decided by the store: ${shown(call)}`
      if (isDecided && call.answer?.allowed === true) allowed++
    }
    const { aheadMs, cluster } = world.plan.scenario
    const most = mostCalls(world.plan.scenario)
    // Units that one slot takes for a caller that another slot refuses are missing for a moment.
    const isExact = aheadMs === 0 && cluster?.isSpread !== true
    const [fromUs, untilUs] = [Math.min(...calls.map(askedAt)), Math.max(...calls.map(answeredAt))]
    const mostUntilThen = mostCalls(world.plan.scenario, untilUs - fromUs)
    if (allowed > mostUntilThen || (isExact && allowed < Math.min(most, calls.length)))
      yield `${allowed} of ${calls.length} were allowed, not ${most}`
  },
}

const askedAt = ({ askedUs }: CallRecord) => askedUs
const answeredAt = ({ askedUs, answeredUs = askedUs }: CallRecord) => answeredUs

/**
 * Whether keys share a count until the end. After an outage, keys that found no room in memory do so until a window is over, and one of a
 * calendar is longer than a history.
 */
function sharesOneCount(world: World): boolean {
  const { policies, maxKeys } = world.plan.scenario
  return calendarOf(policies) !== undefined && maxKeys < 5 && !factsOf(world).isQuiet
}

/**
 * Whether a block, or a changed limit, may still hold: they may have any length, as if set by hand, so if the server's clock steps back,
 * they last longer.
 */
function isLockedOut({ plan: { scenario, faults } }: World): boolean {
  const blocks = scenario.policies.some(({ blockForMs }) => blockForMs > 0)
  return (
    (blocks || scenario.changes === true) &&
    faults.some((fault) => fault.kind === 'server-clock' && fault.ms < 0)
  )
}
