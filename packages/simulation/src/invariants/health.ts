import type { CallRecord, Told } from '../history/record.ts'
import type { World } from '../history/world.ts'
import { circuitAt, factsOf, isListed } from './facts.ts'
import type { Invariant } from './invariant.ts'

const decides = ['check', 'part', 'peek', 'reserve', 'wait', 'refund', 'settle', 'cancel', 'hold']

/** Health and observers report what happened. */
export const tellsTheTruth: Invariant = {
  name: 'health and observers say what happened',
  *breaches(world) {
    const { isQuiet, clockSteps } = factsOf(world)
    for (const { process, health, when } of world.health) {
      if (health.breaker !== 'closed')
        yield `the circuit of process ${process} is ${health.breaker} when it has ${when}`
      // After a slow connection the second probe may still be due: the store decides again, but the recovery is not reported yet.
      const isNearly = when === 'recovered' && health.status === 'degraded'
      if (health.status !== 'ok' && !isNearly)
        yield `process ${process} is ${health.status} when it has ${when}`
      if (when === 'recovered') continue
      const told = world.record.told.filter((each) => each.process === process)
      const count = (kind: string) => told.filter((each) => each.kind === kind).length
      if (health.lateReplies !== count('late'))
        yield `${health.lateReplies} late replies, told of ${count('late')}`
      if (health.failures > count('failed')) yield `${health.failures} failures, told of ${count('failed')}`
      if (count('opened') !== count('recovered'))
        yield `opened ${count('opened')} times, recovered ${count('recovered')}`
      if (health.sleepers !== 0) yield `${health.sleepers} sleepers are left`
      yield* decisionsTold(world, process)
      // Leases end by the server's clock.
      const isTrouble = (kind: Told['kind']) => kind !== 'decided' && !(kind === 'lost' && clockSteps > 0)
      const trouble = told.find(({ kind }) => kind !== 'warned' && isTrouble(kind))
      if (isQuiet && trouble !== undefined) yield `trouble in calm times: ${trouble.kind} ${trouble.about}`
      yield* inOrder(told)
    }
  },
}

function* decisionsTold(world: World, process: number): Generator<string> {
  const decided = world.record.told.filter((each) => each.process === process && each.kind === 'decided')
  const answers = world.record.calls.filter(
    ({ plan, answer }) =>
      plan.process === process && answer !== undefined && decides.includes(plan.operation),
  )
  // A request that a list lets pass is no decision.
  const isDecided = ({ answer }: CallRecord) => answer?.allowed !== true || answer.said.length > 0
  const unheard = decided.map(({ about }) => about)
  let untold = 0
  for (const { answer } of answers.filter(isDecided)) {
    const at = unheard.indexOf(`${answer?.allowed} ${answer?.source}`)
    if (at < 0) untold++
    else unheard.splice(at, 1)
  }
  // There may be decisions about callers that have hung up.
  const hungUp = world.record.calls.filter(
    ({ plan, hungUpUs, answer }) =>
      plan.process === process && hungUpUs !== undefined && answer === undefined,
  ).length
  if (untold > 0 || unheard.length > hungUp)
    yield `${answers.length} answers, of which observers of process ${process} heard otherwise`
  const counted = answers.filter((call) => !isListed(call))
  const alone = answers.filter(
    ({ answer }) => answer?.source === 'fallback' || answer?.source === 'none',
  ).length
  const none = counted.filter(({ answer }) => answer?.source === 'none').length
  // While the circuit is open the store is not asked.
  const atOnce = counted.filter(
    ({ answer, askedUs, answeredUs }) =>
      askedUs === answeredUs && answer?.source !== 'redis' && circuitAt(world, process, askedUs) === 'opened',
  ).length
  const { fallbackDecisions = 0, failures = 0 } =
    world.health.find((each) => each.process === process && each.when === 'closing')?.health ?? {}
  if (failures === 0 && atOnce > 0) yield `no failures, and ${atOnce} answers without the store`
  const hasLines = world.plan.scenario.policies.some(({ strategy }) => strategy === 'concurrency')
  // Callers in line ask any number of times, and one that leaves may get the answer that another one got.
  if (!hasLines && (fallbackDecisions < Math.max(none, atOnce) || fallbackDecisions > alone + hungUp))
    yield `${fallbackDecisions} fallback decisions, ${alone} answers without the store (${none} uncounted)`
}

const states: { readonly [kind: string]: readonly string[] } = {
  // A probe that was sent before may be under way.
  opened: ['down open', 'down half-open'],
  'half-open': ['down half-open'],
  recovered: ['ok closed', 'degraded closed'],
}

/** A circuit opens, is probed, and is well again, in turns; and health says so at that instant. */
function* inOrder(told: readonly Told[]): Generator<string> {
  let isOpen = false
  for (const { kind, about, atUs } of told) {
    const expected = states[kind]
    if (expected !== undefined && !expected.includes(about))
      yield `health says "${about}" when it is ${kind}, at ${atUs}`
    if (kind === 'opened') {
      if (isOpen) yield `it opened twice, at ${atUs}`
      isOpen = true
    } else if (kind === 'recovered') {
      if (!isOpen) yield `it recovered from nothing, at ${atUs}`
      isOpen = false
    } else if (kind === 'half-open' && !isOpen) {
      yield `it was probed as open, and was not, at ${atUs}`
    }
  }
}
