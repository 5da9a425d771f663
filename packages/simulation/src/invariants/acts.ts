import type { Operation } from '../history/plan.ts'
import type { ActRecord, CallRecord } from '../history/record.ts'
import { factsOf, shown } from './facts.ts'
import type { Invariant } from './invariant.ts'

const byHand: readonly Operation[] = ['block', 'unblock', 'reset', 'set', 'inspect', 'penalize', 'reward']
/** Operations that reject when they have failed. */
const saying: readonly Operation[] = ['block', 'unblock', 'reset', 'set', 'inspect']

/** The amount that a call sends to the server for each policy. */
function amountOf({ operation, ms, cost }: CallRecord['plan']): number {
  if (operation === 'block') return ms * 1000
  return operation === 'unblock' || operation === 'reset' || operation === 'inspect' ? 0 : cost
}

/** Acts that a call may have done until an instant, the earliest of each count. */
function actsOf(
  { plan, askedUs }: CallRecord,
  untilUs: number,
  acts: ReadonlySet<ActRecord>,
): readonly ActRecord[] {
  const byKey = new Map<string, ActRecord>()
  for (const act of acts) {
    if (act.act !== plan.operation || act.process !== plan.process || byKey.has(act.key)) continue
    if (act.ranUs >= askedUs && act.ranUs <= untilUs && act.amount === amountOf(plan)) byKey.set(act.key, act)
  }
  return [...byKey.values()]
}

/** A change by hand that was reported as done is done once for each policy, as it was asked for. A process that dies may have begun it. */
export const actsAreDone: Invariant = {
  name: 'what is done by hand is done once, as it was said',
  *breaches(world) {
    const { record, plan } = world
    const { isCalm } = factsOf(world)
    const open = new Set<ActRecord>()
    for (const each of record.ledger)
      if ('act' in each && !['give', 'more', 'raise'].includes(each.act)) open.add(each)
    const calls = record.calls.filter(({ plan: { operation } }) => byHand.includes(operation))
    const isSaid = ({ plan: { operation }, error }: CallRecord) =>
      error === undefined && (isCalm || saying.includes(operation))
    const answered = calls.filter((call) => call.answeredUs !== undefined && isSaid(call))
    for (const call of answered.sort((a, b) => (a.answeredUs ?? 0) - (b.answeredUs ?? 0))) {
      const done = actsOf(call, call.answeredUs ?? 0, open)
      for (const act of done) open.delete(act)
      if (done.length < plan.scenario.policies.length)
        yield `${done.length} of ${plan.scenario.policies.length} were done: ${shown(call)}`
    }
    for (const call of calls) {
      if (isCalm && call.error !== undefined) yield `failed in calm times: ${shown(call)}`
      if (!answered.includes(call))
        for (const act of actsOf(call, Number.POSITIVE_INFINITY, open)) open.delete(act)
    }
    for (const { act, amount, key, process, ranUs } of open)
      yield `${act} ${amount} of ${key} by process ${process} at ${ranUs}, which nobody asked for`
  },
}
