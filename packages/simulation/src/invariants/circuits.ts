import type { CallRecord, Told } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { shown, stillUs } from './facts.ts'
import type { Invariant } from './invariant.ts'

/** While a circuit is open, no caller waits for the store. */
export const openHoldsNobody: Invariant = {
  name: 'an open circuit holds nobody up',
  *breaches(world) {
    if (asksInBetween(world)) return
    for (const call of world.record.calls) {
      const { plan, askedUs, answeredUs = 0, answer } = call
      if (answer === undefined || plan.operation === 'wait' || answeredUs === askedUs) continue
      const told = world.record.told.filter(
        ({ process, kind }) => process === plan.process && states.includes(kind),
      )
      const before = told.filter(({ atUs }) => atUs < askedUs).at(-1)
      const next = told.find(({ atUs }) => atUs >= askedUs)
      if (before?.kind !== 'opened' || (next !== undefined && next.atUs <= answeredUs)) continue
      const failed = world.record.told.some(
        ({ process, kind, atUs }) =>
          process === plan.process && kind === 'failed' && atUs >= askedUs && atUs <= answeredUs,
      )
      // A probe that began before the circuit opened may have closed it: a call that only looks, or is refused here, does not report that.
      const onlyLooks = plan.operation === 'peek' || (answer.source === 'fallback' && !answer.allowed)
      if (!(failed ? wasProbed(world, before, call) : onlyLooks)) yield shown(call)
    }
  },
}

/** Whether a probe was answered since the circuit opened, or a little before: observers are not told of each probe. */
function wasProbed({ record }: World, opened: Told, { plan, askedUs }: CallRecord): boolean {
  return record.probes.some(
    ({ process, ranUs }) => process === plan.process && ranUs > opened.atUs - 1_000_000 && ranUs < askedUs,
  )
}

/** Whether a call may wait for what others have asked, or the store is asked for more than calls. */
function asksInBetween({ plan: { scenario } }: World): boolean {
  return scenario.aheadMs > 0 || scenario.policies.some(({ strategy }) => strategy === 'concurrency')
}

const states = ['opened', 'half-open', 'recovered']
/** A circuit opens after this many rounds of failures, and no sooner than this time after the first. */
const rounds = 3
const silenceUs = 100_000

/**
 * When the store last took something for a caller. An answer of the instant in which the circuit opened was read after that, as it would
 * have kept the circuit closed.
 */
function sinceLastSuccess(world: World, { process, atUs }: Told): number {
  let lastUs = 0
  for (const { plan, answeredUs = 0, answer } of world.record.calls) {
    if (plan.process !== process || answer?.source !== 'redis' || answeredUs >= atUs) continue
    // A caller that waits is answered when its wait is over.
    if (plan.operation === 'wait') continue
    if (answer.said.some(({ take }) => take !== undefined)) lastUs = Math.max(lastUs, answeredUs)
  }
  return lastUs
}

interface Failure {
  readonly askedUs: number
  readonly failedUs: number
}

/**
 * The calls with the instants of their failures, in the order of these; undefined where not every failure is that of a call. A caller
 * that waits is answered when its wait is over: those that fail so do it in the order in which they asked.
 */
function failuresOf(failed: readonly CallRecord[], told: readonly Told[]): readonly Failure[] | undefined {
  const left = told.map(({ atUs }) => atUs)
  const isWaiting = ({ plan }: CallRecord) => plan.operation === 'wait'
  const failures: Failure[] = []
  for (const { askedUs, answeredUs = 0 } of failed.filter((call) => !isWaiting(call))) {
    const at = left.indexOf(answeredUs)
    if (at < 0) return undefined
    left.splice(at, 1)
    failures.push({ askedUs, failedUs: answeredUs })
  }
  const waiting = failed.filter(isWaiting).sort((a, b) => a.askedUs - b.askedUs)
  if (left.length !== waiting.length) return undefined
  for (const [i, { askedUs, answeredUs = 0 }] of waiting.entries()) {
    const failedUs = left[i] ?? 0
    if (failedUs < askedUs || failedUs > answeredUs) return undefined
    failures.push({ askedUs, failedUs })
  }
  return failures.sort((a, b) => a.failedUs - b.failedUs)
}

/** How many rounds there are: a call that was asked no later than the last counted failure belongs to its round. */
function roundsOf(failures: readonly Failure[]): number {
  let count = 0
  let countedUs = -1
  for (const { askedUs, failedUs } of failures) {
    if (askedUs <= countedUs) continue
    count++
    countedUs = failedUs
  }
  return count
}

export const opensInTime: Invariant = {
  name: 'a circuit opens after three rounds and a tenth of a second',
  *breaches(world) {
    const { record } = world
    for (const opened of record.told) {
      if (opened.kind !== 'opened') continue
      const sinceUs = sinceLastSuccess(world, opened)
      const ofThis = ({ process, atUs }: Told) =>
        process === opened.process && atUs >= sinceUs && atUs <= opened.atUs
      const failures = record.told.filter((told) => told.kind === 'failed' && ofThis(told))
      if (failures.length < rounds)
        yield `process ${opened.process} after ${failures.length} failures, at ${opened.atUs}`
      const failed = record.calls.filter(({ plan, answer, answeredUs = 0 }) => {
        const isHere = plan.process === opened.process && answeredUs >= sinceUs && answeredUs <= opened.atUs
        return isHere && answer !== undefined && answer.source !== 'redis'
      })
      const known = asksInBetween(world) ? undefined : failuresOf(failed, failures)
      if (known !== undefined && roundsOf(known) < rounds)
        yield `process ${opened.process} after ${roundsOf(known)} rounds, at ${opened.atUs}`
      const [first] = failures
      if (first === undefined || stillUs(world, opened.process, sinceUs, opened.atUs) > 0) continue
      // The first failure may be that of a call that waited for a connection, which a process begins before its first call.
      const waited = failed.find(({ answeredUs }) => answeredUs === first.atUs)
      if (first.about !== 'not connected' || waited === undefined) continue
      const begunUs = sinceUs === 0 ? 0 : waited.askedUs
      if (opened.atUs - begunUs < silenceUs - 2_000)
        yield `process ${opened.process} ${opened.atUs - begunUs} µs after the first failure, at ${opened.atUs}`
    }
  },
}
