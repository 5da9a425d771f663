import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf, shown, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** A change is in force in every process within a second, as the page on changing limits says; in the one that has made it at once. */
const everywhereUs = 1_000_000
/** How much later an entry of the server ends for a process that heard of it late: the longest wait for a reply. */
const replyUs = 2_000_000

function isChange({ plan }: CallRecord): boolean {
  return plan.operation === 'change' || plan.operation === 'restore'
}

/** When the change of a call is over at the latest. One that has failed, or whose process has died, may have been made at any time since. */
function endUs({ plan, answeredUs, error }: CallRecord): number {
  if (error !== undefined || answeredUs === undefined) return Number.POSITIVE_INFINITY
  return answeredUs + plan.ms * 1000
}

/** No limit is changed that nobody has changed, or longer than that. */
function* invented(
  world: World,
  changes: readonly CallRecord[],
  asked: readonly CallRecord[],
): Generator<string> {
  const isSlow = world.plan.faults.some(({ kind }) => kind === 'delay' || kind === 'lose')
  for (const call of asked) {
    if (!call.hasOthers) continue
    const lateUs = everywhereUs + (isSlow ? replyUs : 0) + stillUs(world, call.plan.process, 0, call.askedUs)
    const isThere = changes.some((change) => {
      if (change.plan.operation !== 'change' || change.askedUs > call.askedUs) return false
      return call.askedUs <= endUs(change) + lateUs
    })
    if (!isThere) yield `changed: ${shown(call)}`
  }
}

/** In calm times: a change is in force until it ends, or until another begins. */
function* missed(changes: readonly CallRecord[], asked: readonly CallRecord[]): Generator<string> {
  for (const change of changes) {
    const { plan, askedUs, answeredUs = 0 } = change
    const others = changes.filter((other) => other !== change)
    if (others.some((other) => other.askedUs <= answeredUs && (other.answeredUs ?? 0) >= askedUs)) continue
    const next = Math.min(
      ...others.filter((other) => other.askedUs > answeredUs).map((other) => other.askedUs),
    )
    const isMade = plan.operation === 'change'
    const untilUs = isMade ? Math.min(next, askedUs + plan.ms * 1000) : next
    for (const call of asked) {
      const fromUs = answeredUs + (call.plan.process === plan.process ? 0 : everywhereUs)
      if (call.askedUs <= fromUs || call.askedUs >= untilUs) continue
      if (call.hasOthers !== isMade) yield `${shown(call)}, after ${shown(change)}`
    }
  }
}

/** The limits of a decision are those of the policies by which the call counts. */
function* saidWrongly(world: World, asked: readonly CallRecord[]): Generator<string> {
  const { policies, chosen = [], shares } = world.plan.scenario
  for (const call of asked) {
    // In an outage a process may have a share of each limit.
    if (shares > 0 && call.answer?.source !== 'redis') continue
    for (const { policy: name, limit } of call.answer?.said ?? []) {
      const own = policies.find((policy) => policy.name === name)
      const other = chosen.find((policy) => policy.name === name)
      const policy = (call.hasOthers && other) || own
      if (policy !== undefined && 'limit' in policy && policy.limit !== limit)
        yield `of ${limit}, not ${policy.limit}: ${shown(call)}`
    }
  }
}

/** A changed limit holds in every process, as long as it was said and no longer, whether or not Redis is away. */
export const changesAreMade: Invariant = {
  name: 'a changed limit is in force as long as it was said',
  *breaches(world) {
    if (world.plan.scenario.changes !== true) return
    const { isCalm, clockSteps } = factsOf(world)
    const changes = world.record.calls.filter(isChange)
    const asked = world.record.calls.filter((call) => !isChange(call))
    if (clockSteps === 0) yield* invented(world, changes, asked)
    if (isCalm) yield* missed(changes, asked)
    yield* saidWrongly(world, asked)
  },
}
