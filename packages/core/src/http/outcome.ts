import type { Decision, Refused, Verdict } from '../decision/decision.ts'
import type { Lane } from '../decision/lane.ts'
import { isDecisionShown, nowUsBy, verdictsBehind } from '../decision/limiter-decision.ts'
import { wireName } from '../decision/wire-name.ts'
import type { Policy } from '../policy.ts'
import { statusOf } from '../refused-error.ts'
import { fieldInteger, retryAfterSeconds, secondsUp } from '../seconds.ts'
import { partsOf } from '../strategies/definition.ts'
import { msUp } from '../units.ts'
import { prefersText } from './accept.ts'
import { limitItem, policyItem, xResetEpochSeconds } from './fields.ts'
import { plainBody, problemBody } from './problem.ts'
import type { Refusal } from './view.ts'

/** The names of all fields, in lower case too: frameworks look for them by that, and need not make it. */
export const lowerNames = {
  'X-RateLimit-Limit': 'x-ratelimit-limit',
  'X-RateLimit-Remaining': 'x-ratelimit-remaining',
  'X-RateLimit-Reset': 'x-ratelimit-reset',
  'RateLimit-Policy': 'ratelimit-policy',
  RateLimit: 'ratelimit',
  'Retry-After': 'retry-after',
  'Cache-Control': 'cache-control',
} as const

export type FieldName = keyof typeof lowerNames
export type Field = readonly [name: FieldName, value: string]

/** Which fields are sent. */
export interface FieldRules {
  readonly x: 'seconds' | 'epoch-seconds' | false
  readonly draft: boolean
}

/** The X- fields of a decision; none where nothing is known. */
export function xFields(decision: Decision, { x }: FieldRules, nowMs: () => number): Field[] {
  if (x === false || !isDecisionShown(decision)) return []
  const { allowed, limit, remaining } = decision
  const resetAfterMs = resetOf(decision, decision)
  const reset = x === 'seconds' ? secondsUp(resetAfterMs) : xResetEpochSeconds(resetAfterMs, nowMs())
  return [
    ['X-RateLimit-Limit', String(fieldInteger(limit))],
    // Some clients back off only at 0.
    ['X-RateLimit-Remaining', allowed ? String(fieldInteger(remaining)) : '0'],
    ['X-RateLimit-Reset', String(reset)],
  ]
}

/** Of a request that was held: as things stand when its time has come. */
function resetOf({ waitMs }: Decision, { resetAfterMs }: Pick<Verdict, 'resetAfterMs'>): number {
  return Math.max(0, resetAfterMs - waitMs)
}

/** The draft fields: an item a policy, in configuration order. */
export function draftFields(decision: Decision): readonly Field[] {
  if (decision.source === 'none') return []
  let policies = ''
  let limits = ''
  for (const verdict of verdictsBehind(decision)) {
    if (!verdict.shown) continue
    const { lane, policy } = verdict.check
    const comma = policies === '' ? '' : ', '
    policies += comma + policyItemOf(lane, policy, windowMsOf(policy, decision))
    limits +=
      comma +
      limitItem({
        policy: lane.wire,
        allowed: verdict.allowed,
        limit: verdict.limit,
        remaining: verdict.remaining,
        resetAfterMs: resetOf(decision, verdict),
        retryAfterMs: verdict.retryAfterMs,
        windowMs: policy.windowMs,
        inFlight: partsOf(policy).inFlight,
      })
  }
  if (policies === '') return []
  return [
    ['RateLimit-Policy', policies],
    ['RateLimit', limits],
  ]
}

/** Of a calendar: the window that runs. */
function windowMsOf(policy: Policy, decision: Decision): number | null {
  const { calendar } = partsOf(policy)
  if (calendar === undefined) return policy.windowMs
  const { startUs, endUs } = calendar.windowAt(nowUsBy(decision))
  return msUp(endUs - startUs)
}

interface PolicyItem {
  readonly policy: Policy
  readonly windowMs: number | null
  readonly item: string
}

/** The last item of each lane: only a policy that is chosen for each request changes it, and a calendar's next window. */
const items = new WeakMap<Lane, PolicyItem>()

function policyItemOf(lane: Lane, policy: Policy, windowMs: number | null): string {
  const known = items.get(lane)
  if (known?.policy === policy && known.windowMs === windowMs) return known.item
  const { inFlight, quota } = partsOf(policy)
  const item = policyItem(lane.wire, quota, windowMs, inFlight)
  items.set(lane, { policy, windowMs, item })
  return item
}

/** Seconds of Retry-After; null where waiting never helps. */
export function retryAfterOf({ reason, retryAfterMs }: Refused): number | null {
  return reason === 'denied' || retryAfterMs === null ? null : retryAfterSeconds(retryAfterMs)
}

/** Names of the refusing policies as the fields say them. */
function violatedPolicies(decision: Refused): readonly string[] {
  if (decision.reason === 'denied') return []
  const verdicts = verdictsBehind(decision)
  if (verdicts.length === 0) return [wireName(decision.policy)]
  const names: string[] = []
  for (const { check, allowed } of verdicts) if (!allowed && !check.shadow) names.push(check.lane.wire)
  return names
}

/** Status, type and body of a refusal, as the client prefers. */
export function refusalOf(decision: Refused, accept: string | undefined): Refusal {
  const status = statusOf(decision.reason)
  const facts = {
    reason: decision.reason,
    retryAfterSeconds: retryAfterOf(decision),
    violatedPolicies: violatedPolicies(decision),
  }
  return prefersText(accept)
    ? { status, type: 'text/plain; charset=utf-8', body: plainBody(facts) }
    : { status, type: 'application/problem+json', body: problemBody(facts) }
}

/** All fields of a decision by itself. */
export function fieldsOf(decision: Decision, rules: FieldRules, nowMs: () => number): readonly Field[] {
  const fields = xFields(decision, rules, nowMs)
  if (rules.draft) fields.push(...draftFields(decision))
  if (decision.allowed) return fields
  const retryAfter = retryAfterOf(decision)
  if (retryAfter !== null) fields.push(['Retry-After', String(retryAfter)])
  fields.push(['Cache-Control', 'no-store'])
  return fields
}
