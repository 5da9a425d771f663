import { keyOf } from '../history/asking.ts'
import type { CallRecord, GiveRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { answeredCost, isManaged, shortKey, shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** A key that the store has refused to a process stays refused while the process decides alone, for as long as the store said. */
export const refusedStaysRefused: Invariant = {
  name: 'a refused key stays refused through an outage',
  *breaches(world) {
    const { policies, maxKeys } = world.plan.scenario
    const [policy] = policies
    if (policy === undefined || policies.length > 1 || maxKeys < 5) return
    if (policy.strategy === 'concurrency' || policy.onStoreFailure !== 'local') return
    // `fairShare` refuses a client, and not the key.
    if (policy.strategy === 'fairShare') return
    for (const refused of world.record.calls) {
      if (!isRefusal(refused) || isManaged(refused) || isReckoned(world, refused)) continue
      const retryUs = refused.answer?.said[0]?.retryAfterUs ?? 0
      if (retryUs <= 0) continue
      for (const call of world.record.calls) {
        if (!isSameKey(call, refused) || answeredCost(call) < answeredCost(refused)) continue
        if (call.answer?.source !== 'fallback' || !call.answer.allowed) continue
        if (decidedUs(call) <= (refused.answeredUs ?? 0) || isForgiven(world.record, refused, call)) continue
        if (isByAnotherClock(world, refused, call)) continue
        if (passesUs(call) < refused.askedUs + retryUs - 1000) yield `${shown(call)}, after ${shown(refused)}`
      }
    }
  },
}

function isRefusal({ answer, plan }: CallRecord): boolean {
  if (answer?.source !== 'redis' || answer.allowed) return false
  return ['check', 'part'].includes(plan.operation) && answer.reason !== 'too-costly'
}

/** Whether a hot key may have been refused without asking the store: that also counts callers of which the store has not heard. */
function isReckoned({ plan: { scenario } }: World, { askedUs, answeredUs }: CallRecord): boolean {
  return scenario.aheadMs > 0 && answeredUs === askedUs
}

function isSameKey(one: CallRecord, other: CallRecord): boolean {
  return (
    one.plan.process === other.plan.process &&
    one.plan.key === other.plan.key &&
    one.hasOthers === other.hasOthers &&
    asking.includes(one.plan.operation)
  )
}

const asking = ['check', 'part', 'reserve', 'wait', 'cancel']

/** When a call was decided at the latest: one that waits is answered only when the wait is over. */
function decidedUs({ plan, askedUs, answeredUs = 0 }: CallRecord): number {
  return plan.operation === 'wait' ? askedUs : answeredUs
}

/** When a caller passes: one that has reserved passes later. */
function passesUs({ plan, answer, answeredUs = 0 }: CallRecord): number {
  return answeredUs + (plan.operation === 'wait' ? 0 : (answer?.waitMs ?? 0) * 1000)
}

/** Whether between two calls the server's clock was set, or the key moved to a server with another: the time may have become shorter. */
function isByAnotherClock({ plan: { faults } }: World, from: CallRecord, to: CallRecord): boolean {
  return faults.some((fault) => {
    if (fault.kind !== 'server-clock' && fault.kind !== 'move-slot') return false
    const endUs = fault.atUs + (fault.kind === 'move-slot' ? fault.forMs * 1000 : 0)
    return endUs >= from.askedUs && fault.atUs <= (to.answeredUs ?? 0)
  })
}

/** Whether a caller of the process has given back, or passed, between two calls. */
function isForgiven({ calls, gives }: World['record'], from: CallRecord, to: CallRecord): boolean {
  const untilUs = to.answeredUs ?? 0
  const { process, key } = from.plan
  const isBetween = (us: number) => us >= from.askedUs && us <= untilUs
  const isOver = calls.some((call) => {
    const { plan, answer, answeredUs = 0, endedUs = 0 } = call
    if (call === from || call === to || plan.key !== key || plan.process !== process) return false
    const passed = answer?.allowed === true && answer.source === 'redis' && isBetween(answeredUs)
    // A caller has hung up: this process has given back what was reserved for it, even if the store did not hear of that.
    const left = plan.operation === 'wait' && answer === undefined && isBetween(answeredUs)
    return passed || left || isBetween(endedUs)
  })
  // A caller that hung up gives back too.
  const isGiven = (give: GiveRecord) => give.process === process && shortKey(give.key) === keyOf(key)
  return isOver || gives.some((give) => isGiven(give) && isBetween(give.atUs))
}
