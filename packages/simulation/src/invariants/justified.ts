import { startsEmpty } from '../history/most.ts'
import type { PolicyPlan } from '../history/plan.ts'
import { maxDebtMs } from '../history/policies.ts'
import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { answeredCost, factsOf, isManaged, shown, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** A process that counts alone takes this part of a window for one instant: its window may end so much later. */
const instants = 64

/** After how long units that were given back no longer count for callers of this process, and for those of others. */
const givenUs = 20_000

/** The window in which units count in full, their limit, and whether a refund always returns them; undefined: it is not so simple. */
function windowOf(policy: PolicyPlan): { limit: number; windowUs: number; returns: boolean } | undefined {
  switch (policy.strategy) {
    case 'slidingWindowLog':
    case 'fixedWindow':
    case 'attributedWindow':
      if (policy.isReservable === true) return reservedIn(policy.limit, policy.windowMs)
      return { limit: policy.limit, windowUs: policy.windowMs * 1000, returns: true }
    case 'uniform':
      return fullOf(1, { count: 1, periodMs: policy.intervalMs })
    case 'gcra':
      return fullOf(policy.burst + 1, policy)
    case 'tokenBucket':
      return startsEmpty(policy) ? undefined : fullOf(policy.capacity, policy)
    case 'leakyBucket':
      return fullOf(policy.capacity, policy)
    default:
      return undefined
  }
}

/** The same for a window whose callers reserve: the newest window that a caller has reserved in ends so much later. */
function reservedIn(limit: number, windowMs: number) {
  return { limit, windowUs: (2 * windowMs + maxDebtMs) * 1000, returns: false }
}

/** The same for a rate: units taken longer ago have come back, even if callers have reserved as far ahead as they may. */
function fullOf(limit: number, { count, periodMs }: { count: number; periodMs: number }) {
  return { limit, windowUs: (limit * periodMs * 1000) / count + maxDebtMs * 1000 + limit, returns: false }
}

/** Units that may still count against a call: those that callers got in the window before it, and did not give back. */
function countedBefore(
  world: World,
  refused: CallRecord,
  { windowUs, returns }: { windowUs: number; returns: boolean },
): number {
  const { refusalCacheMs } = world.plan.scenario
  let units = 0
  for (const call of world.record.calls) {
    const { plan, askedUs, answeredUs = Number.POSITIVE_INFINITY, answer, endedUs } = call
    if (call === refused || plan.key !== refused.plan.key || plan.operation === 'peek') continue
    if (askedUs > (refused.answeredUs ?? 0) || answer?.allowed === false) continue
    const waitedUs = answer === undefined ? 0 : answeredUs + (answer.waitMs ?? 0) * 1000
    // What a call cost more than it was charged at first counts from when the server hears of its end.
    const moreUs = plan.settlesTo === undefined ? 0 : (endedUs ?? 0) + givenUs
    const untilUs = Math.max(answeredUs, waitedUs, moreUs)
    if (untilUs + windowUs < refused.askedUs) continue
    const knownUs = plan.process === refused.plan.process ? givenUs : givenUs + refusalCacheMs * 1000
    const isBack = returns && endedUs !== undefined && endedUs + knownUs < refused.askedUs && isReturned(call)
    if (!isBack || mayBeLost(world, refused, endedUs)) units += mostCounted(call)
  }
  return units
}

/** The most units that count of a call, which may turn out to have cost more than it was charged at first. */
function mostCounted(call: CallRecord): number {
  return Math.max(answeredCost(call), call.plan.settlesTo ?? 0)
}

/** Whether a refund may be lost: the server refused the key after it, as if it had not arrived, and an outage repeats that refusal. */
function mayBeLost({ record }: World, { plan, askedUs, answer }: CallRecord, endedUs: number): boolean {
  return (
    answer?.source === 'fallback' &&
    record.calls.some(
      (call) =>
        call.plan.key === plan.key &&
        call.answer?.allowed === false &&
        call.answer.source !== 'fallback' &&
        call.askedUs > endedUs &&
        (call.answeredUs ?? 0) <= askedUs,
    )
  )
}

function isReturned({ plan }: CallRecord): boolean {
  return plan.operation === 'refund'
}

/** In calm times, and by a process that is alone from the beginning, no caller is refused while there is room. */
export const justified: Invariant = {
  name: 'nobody is refused while there is room',
  *breaches(world) {
    const { policies, aheadMs, charge, chosen, maxKeys, shares } = world.plan.scenario
    const [policy] = policies
    if (policy === undefined || policies.length > 1 || aheadMs > 0 || policy.blockForMs > 0 || maxKeys < 5)
      return
    // What other calls have charged under other numbers lasts as long as these say.
    if (charge !== 'all-or-nothing' || shares > 1 || chosen !== undefined) return
    const window = windowOf(policy)
    const { isCalm, clockSteps } = factsOf(world)
    const isOutage = !isCalm
    if (window === undefined || (isOutage && policy.onStoreFailure !== 'local')) return
    for (const call of world.record.calls) {
      const { plan, answer, isEpilogue, askedUs, answeredUs = 0 } = call
      if (answer === undefined || !wantsMore(call) || isManaged(call)) continue
      if (
        isEpilogue ||
        plan.operation === 'wait' ||
        plan.operation === 'reserve' ||
        plan.operation === 'cancel'
      )
        continue
      // In an outage a process may count against a key what was taken in vain, and repeats the refusal of a server whose clock was set.
      if (
        isOutage &&
        (world.plan.scenario.processes > 1 ||
          answer.source !== 'fallback' ||
          clockSteps > 0 ||
          mayBeInVain(world, call))
      )
        continue
      if (stillUs(world, plan.process, askedUs - 1_000_000, answeredUs) > 0) continue
      const windowUs = window.windowUs * (isOutage ? 1 + 1 / instants : 1)
      const units = countedBefore(world, call, { ...window, windowUs })
      if (units + answeredCost(call) + (answer.allowed ? 1 : 0) <= window.limit)
        yield `${units} of ${window.limit} counted: ${shown(call)}`
    }
  },
}

/** Whether a caller wanted more: it was refused, or got a part that is less than it asked for, although one more unit would have fitted. */
function wantsMore(call: CallRecord): boolean {
  const { plan, answer } = call
  if (answer?.allowed === true) return plan.operation === 'part' && answeredCost(call) < plan.cost
  return answer?.reason === 'limited'
}

/** Whether the server took something that no caller got. */
function mayBeInVain({ record }: World, { plan }: CallRecord): boolean {
  return record.takes.some(({ call, key }) => call === undefined && key.includes(`{k${plan.key}`))
}
