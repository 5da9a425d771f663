import type { Decision, Policy } from '@sluice/core'
import {
  decisions,
  fieldInteger,
  type limiters,
  msUp,
  partsOf,
  retryAfterSeconds,
  secondsUp,
} from '@sluice/core/internal'
import { type Field, limitItem, policyItem, type Quota, quotaOf, resetOf } from './fields.ts'

/** A version of draft-ietf-httpapi-ratelimit-headers; later ones have the form of the eighth. */
export type Draft = 6 | 7 | 8

interface Kept<T> {
  readonly policy: Policy
  readonly windowMs: number | null
  readonly made: T
}

/** Caches what is made of a lane's latest policy: a policy chosen for each request changes it, and so does a calendar's next window. */
function kept<T>(
  make: (lane: limiters.Lane, policy: Policy, windowMs: number | null) => T,
): (lane: limiters.Lane, policy: Policy, decision: Decision) => T {
  const all = new WeakMap<limiters.Lane, Kept<T>>()
  return (lane, policy, decision) => {
    const windowMs = windowMsOf(policy, decision)
    const known = all.get(lane)
    if (known?.policy === policy && known.windowMs === windowMs) return known.made
    const made = make(lane, policy, windowMs)
    all.set(lane, { policy, windowMs, made })
    return made
  }
}

/** The length of the policy's window; of a calendar, of the window that runs. */
function windowMsOf(policy: Policy, decision: Decision): number | null {
  const { calendar } = partsOf(policy)
  if (calendar === undefined) return policy.windowMs
  const { startUs, endUs } = calendar.windowAt(decisions.nowUsBy(decision))
  return msUp(endUs - startUs)
}

const policyItemOf = kept(({ wire }, policy, windowMs) => {
  const { inFlight, quota } = partsOf(policy)
  return policyItem(wire, quota, windowMs, inFlight)
})

const quotaOfLane = kept((_lane, policy, windowMs) => {
  const { inFlight, quota } = partsOf(policy)
  return quotaOf(quota, inFlight ? null : windowMs)
})

/** What the fields say of one policy from draft 8 on. */
export interface Item {
  readonly lane: limiters.Lane
  readonly decision: Decision
  readonly policy: string
  readonly limit: string
}

const noItems: readonly Item[] = []

/**
 * An item a policy, in configuration order, behind those of `earlier` decisions. A limiter that decides several calls of one request,
 * such as fields of GraphQL, has one item for each policy: that of the decision that binds most.
 */
export function itemsOf(decision: Decision, earlier: readonly Item[] = noItems): readonly Item[] {
  if (decision.source === 'none') return earlier
  const items = [...earlier]
  for (const verdict of decisions.verdictsBehind(decision)) {
    if (!verdict.shown) continue
    const { lane } = verdict.check
    const item = { lane, decision, ...textsOf(verdict, decision) }
    const at = earlier.findIndex((each) => each.lane === lane)
    const known = earlier[at]
    if (known === undefined) items.push(item)
    else if (decisions.decisionBindsMore(decision, known.decision)) items[at] = item
  }
  return items
}

type Verdict = ReturnType<typeof decisions.verdictsBehind>[number]

function textsOf(verdict: Verdict, decision: Decision): Pick<Item, 'policy' | 'limit'> {
  const { lane, policy } = verdict.check
  const limit = limitItem({
    policy: lane.wire,
    allowed: verdict.allowed,
    remaining: verdict.remaining,
    resetAfterMs: resetOf(decision, verdict),
    retryAfterMs: verdict.retryAfterMs,
    inFlight: partsOf(policy).inFlight,
  })
  return { policy: policyItemOf(lane, policy, decision), limit }
}

/** The fields from draft 8 on; none for an empty list, which they must not be. */
export function itemFields(items: readonly Item[]): readonly Field[] {
  let policies = ''
  let limits = ''
  for (const { policy, limit } of items) {
    const comma = policies === '' ? '' : ', '
    policies += comma + policy
    limits += comma + limit
  }
  if (policies === '') return []
  return [
    ['RateLimit-Policy', policies],
    ['RateLimit', limits],
  ]
}

/** What drafts 6 and 7 say of the binding policy; none where nothing is known. */
export function bindingFields(decision: Decision, draft: 6 | 7): readonly Field[] {
  if (!decisions.isDecisionShown(decision)) return []
  const { allowed, retryAfterMs } = decision
  const limit = fieldInteger(decision.limit)
  const remaining = fieldInteger(decision.remaining)
  // Both drafts require a reset, also where waiting never helps.
  const waits = !allowed && retryAfterMs !== null
  const reset = waits ? retryAfterSeconds(retryAfterMs) : secondsUp(resetOf(decision, decision))
  if (draft === 7) return [['RateLimit', `limit=${limit}, remaining=${remaining}, reset=${reset}`]]
  return [
    ['RateLimit-Limit', String(limit)],
    ['RateLimit-Remaining', String(remaining)],
    ['RateLimit-Reset', String(reset)],
  ]
}

const none: readonly Quota[] = []

/**
 * The items of `RateLimit-Policy` in drafts 6 and 7, behind those of `earlier` limiters. Both drafts forbid two items of one quota:
 * that with the longer window stays, as its rate is the lower one.
 */
export function quotasOf(decision: Decision, earlier: readonly Quota[] = none): readonly Quota[] {
  if (decision.source === 'none') return earlier
  const quotas = [...earlier]
  for (const verdict of decisions.verdictsBehind(decision)) {
    if (!verdict.shown) continue
    const quota = quotaOfLane(verdict.check.lane, verdict.check.policy, decision)
    if (quota !== undefined) addQuota(quotas, quota)
  }
  return quotas
}

function addQuota(quotas: Quota[], quota: Quota): void {
  for (let i = 0; i < quotas.length; i++) {
    const known = quotas[i]
    if (known?.units !== quota.units) continue
    if (known.windowSeconds < quota.windowSeconds) quotas[i] = quota
    return
  }
  quotas.push(quota)
}

/** The field that lists quotas; none for an empty list, which it must not be. */
export function quotaFields(quotas: readonly Quota[]): readonly Field[] {
  let list = ''
  for (const { item } of quotas) list += list === '' ? item : `, ${item}`
  return list === '' ? [] : [['RateLimit-Policy', list]]
}
