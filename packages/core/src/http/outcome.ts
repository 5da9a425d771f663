import type { Decision, Refused, Verdict } from '../decision.ts'
import { type Answer, answersBehind } from '../limiter/decided.ts'
import { statusOf } from '../refused-error.ts'
import { fieldInteger, retryAfterSeconds, secondsUp } from '../seconds.ts'
import { partsOf } from '../strategies/definition.ts'
import { isInFlight } from '../strategies/in-flight.ts'
import { prefersText } from './accept.ts'
import { limitItem, policyItem, wireName, xResetEpochSeconds } from './fields.ts'
import { plainBody, problemBody } from './problem.ts'
import type { Refusal } from './view.ts'

export type Field = readonly [name: string, value: string]

/** Which fields are sent. */
export interface FieldRules {
  readonly x: 'seconds' | 'epoch-seconds' | false
  readonly draft: boolean
}

/** The answers whose numbers a client may see: no shadow policy's, and only where a count is behind them. */
function toldAnswers(decision: Decision): readonly Answer[] {
  return answersBehind(decision).filter(({ check, row }) => !check.shadow && row.uncounted !== true)
}

/** true where the decision's own numbers may be shown. */
export function isTold(decision: Decision): boolean {
  if (decision.source === 'none') return false
  const answers = answersBehind(decision)
  if (answers.length === 0) return Object.keys(decision.verdicts).length > 0
  const binding = answers.find(({ check }) => check.name === decision.policy)
  return binding !== undefined && !binding.check.shadow && binding.row.uncounted !== true
}

/** The X- fields of a decision; none where nothing is known. */
export function xFields(decision: Decision, { x }: FieldRules, nowMs: () => number): readonly Field[] {
  if (x === false || !isTold(decision)) return []
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
export function draftFields(decision: Decision, { draft }: FieldRules): readonly Field[] {
  if (!draft || decision.source === 'none') return []
  const policies: string[] = []
  const limits: string[] = []
  for (const { check, row } of toldAnswers(decision)) {
    const verdict = decision.verdicts[check.name]
    if (verdict === undefined) continue
    const { definition, numbers } = partsOf(check.policy)
    const { windowMs } = check.policy
    const quota: number = definition.quotaOf?.(numbers) ?? check.policy.limit
    const policy = wireName(check.wire)
    const inFlight = isInFlight(check)
    policies.push(policyItem(policy, quota, windowMs, inFlight))
    const { limit } = verdict
    const resetAfterMs = resetOf(decision, verdict)
    const retryAfterMs = row.retryAfterUs < 0 ? null : verdict.retryAfterMs
    const facts = {
      policy,
      limit,
      remaining: row.remaining,
      resetAfterMs,
      retryAfterMs,
      allowed: verdict.allowed,
    }
    limits.push(limitItem({ ...facts, windowMs, inFlight }))
  }
  if (policies.length === 0) return []
  return [
    ['RateLimit-Policy', policies.join(', ')],
    ['RateLimit', limits.join(', ')],
  ]
}

/** Seconds of Retry-After; null where waiting never helps. */
export function retryAfterOf({ reason, retryAfterMs }: Refused): number | null {
  return reason === 'denied' || retryAfterMs === null ? null : retryAfterSeconds(retryAfterMs)
}

/** Names of the refusing policies as the fields say them. */
function violatedPolicies(decision: Refused): readonly string[] {
  if (decision.reason === 'denied') return []
  const answers = answersBehind(decision)
  if (answers.length === 0) return [wireName(decision.policy)]
  const names: string[] = []
  for (const { check, row } of answers) if (!row.allowed && !check.shadow) names.push(wireName(check.wire))
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
  const fields = [...xFields(decision, rules, nowMs), ...draftFields(decision, rules)]
  if (decision.allowed) return fields
  const retryAfter = retryAfterOf(decision)
  if (retryAfter !== null) fields.push(['Retry-After', String(retryAfter)])
  fields.push(['Cache-Control', 'no-store'])
  return fields
}
