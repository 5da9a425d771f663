import { listedKey } from '../history/managed.ts'
import type { CallRecord } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { factsOf, shown, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

const changing: readonly string[] = ['deny', 'refuse', 'allow', 'unlist']
/** A change is in force in every process within a second, as the page on lists says; in the one that has made it at once. */
const everywhereUs = 1_000_000
/** The longest wait for a reply about lists. */
const replyUs = 2_000_000

/** The kind of entry that a call has found on the lists. */
function foundBy({ answer }: CallRecord): 'deny' | 'refuse' | 'allow' | 'unlist' | undefined {
  if (answer === undefined) return undefined
  if (answer.reason === 'denied') return 'deny'
  if (answer.reason === 'blocked' && answer.source === 'none') return 'refuse'
  return answer.said.length === 0 && answer.allowed ? 'allow' : 'unlist'
}

/** Whether no other change overlaps this one: where two do, neither is known to be the last. */
function isAlone(change: CallRecord, changes: readonly CallRecord[]): boolean {
  return changes.every(
    (other) =>
      other === change ||
      (other.answeredUs ?? Number.POSITIVE_INFINITY) < change.askedUs ||
      other.askedUs > (change.answeredUs ?? 0),
  )
}

/** In calm times: all processes find an entry from its change on until it ends, or until another change begins. */
function* missed(changes: readonly CallRecord[], asked: readonly CallRecord[]): Generator<string> {
  for (const change of changes) {
    const { plan, askedUs, answeredUs = 0 } = change
    if (!isAlone(change, changes)) continue
    const next = Math.min(
      ...changes.filter((other) => other.askedUs > answeredUs).map((other) => other.askedUs),
    )
    const endUs = plan.operation === 'unlist' ? next : Math.min(next, askedUs + plan.ms * 1000)
    // An entry on a weaker list may be there too, and one on a stronger list may end.
    const earlier = changes.filter((other) => other !== change && other.askedUs < askedUs)
    const last = earlier.at(-1)
    if (plan.operation !== 'unlist' && last !== undefined && last.plan.operation !== 'unlist') continue
    for (const call of asked) {
      const fromUs = answeredUs + (call.plan.process === plan.process ? 0 : everywhereUs)
      if (call.askedUs <= fromUs || (call.answeredUs ?? 0) >= endUs) continue
      if (foundBy(call) !== plan.operation) yield `${shown(call)}, after ${shown(change)}`
    }
  }
}

/** Processes find no entry that was not put there, or that is over. */
function* invented(
  world: World,
  changes: readonly CallRecord[],
  asked: readonly CallRecord[],
): Generator<string> {
  for (const call of asked) {
    const found = foundBy(call)
    if (found === undefined || found === 'unlist') continue
    const { process } = call.plan
    const isThere = changes.some(({ plan, askedUs, answeredUs, error }) => {
      if (plan.operation !== found || askedUs > (call.answeredUs ?? 0)) return false
      // A change that has failed, or whose process has died, may have been done at any time since.
      const doneUs = error === undefined && answeredUs !== undefined ? answeredUs : Number.POSITIVE_INFINITY
      const lateUs = replyUs + stillUs(world, process, 0, call.askedUs)
      return call.askedUs <= doneUs + plan.ms * 1000 + lateUs
    })
    if (!isThere) yield `found ${found}: ${shown(call)}`
  }
}

/** Every process obeys the lists, as long as an entry lasts and no longer. */
export const listsAreObeyed: Invariant = {
  name: 'who is on a list is treated so, and nobody else',
  *breaches(world) {
    if (world.plan.scenario.lists !== true) return
    const { isCalm, clockSteps } = factsOf(world)
    const all = world.record.calls.filter(({ plan }) => plan.key === listedKey)
    const changes = all.filter(({ plan }) => changing.includes(plan.operation))
    const asked = all.filter(({ answer }) => answer !== undefined)
    if (clockSteps === 0) yield* invented(world, changes, asked)
    if (isCalm) yield* missed(changes, asked)
    for (const call of asked) {
      const took = call.answer?.said.some(({ take }) => take !== undefined)
      if (foundBy(call) !== 'unlist' && took) yield `counted, though listed: ${shown(call)}`
    }
  },
}
