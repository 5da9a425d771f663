import { hungUp } from '../history/asking.ts'
import type { World } from '../history/world.ts'
import { hearsOfClosing } from './endings.ts'
import { factsOf, shown, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** Whether processes have timers between calls too: for units taken ahead, lists, changed limits, members of a queue, or leases. */
function hasTimers({ plan: { scenario } }: World): boolean {
  const { aheadMs, lists, changes, queue, policies } = scenario
  const holds = policies.some(({ strategy }) => strategy === 'concurrency')
  return aheadMs > 0 || lists === true || changes === true || queue !== undefined || holds
}

/** A caller that hangs up is let go at once if the store has answered before, is not let in any more, and leaves no place and no timer. */
export const hangUpsAreHeard: Invariant = {
  name: 'who hangs up waits no longer',
  *breaches(world) {
    const { record, plan, processes } = world
    const { deadlineMs, connectDeadlineMs } = plan.scenario
    for (const call of record.calls) {
      const { hungUpUs, answeredUs, askedUs, error, plan: asked } = call
      if (hungUpUs === undefined || processes[asked.process]?.machine.dead === true) continue
      if (answeredUs !== undefined && error !== hungUp && !hearsOfClosing(world, call))
        yield `let in after it hung up: ${shown(call)}`
      const hasAnswer = hungUpUs - askedUs > (deadlineMs + connectDeadlineMs) * 1000
      const lateUs = (answeredUs ?? Number.POSITIVE_INFINITY) - hungUpUs
      if (hasAnswer && lateUs > 0 && stillUs(world, asked.process, 0, hungUpUs) === 0)
        yield `${lateUs} µs after it hung up: ${shown(call)}`
    }
    for (const { process, atUs, sleepers, open } of record.waiting)
      if (sleepers > open) yield `${sleepers} sleep in process ${process} at ${atUs}, where ${open} wait`
    if (!factsOf(world).isCalm || hasTimers(world)) return
    for (const { process, atUs, timers } of record.idle)
      if (timers > 0) yield `${timers} timers in process ${process} at ${atUs}, where nobody waits`
  },
}
