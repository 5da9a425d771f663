import type { Decision, Refused } from '@sluice/core'
import {
  decisions,
  fieldInteger,
  retryAfterSeconds,
  secondsUp,
  statusOf,
  wireName,
} from '@sluice/core/internal'
import { prefersText } from './accept.ts'
import type { Draft } from './drafts.ts'
import { type Field, resetOf, xResetEpochSeconds } from './fields.ts'
import { plainBody, problemBody } from './problem.ts'
import type { Refusal } from './view.ts'

/** Which fields are sent. */
export interface FieldRules {
  readonly x: 'seconds' | 'epoch-seconds' | false
  readonly draft: Draft | false
}

/** The X- fields of a decision; none where nothing is known. */
export function xFields(decision: Decision, { x }: FieldRules, nowMs: () => number): Field[] {
  if (x === false || !decisions.isDecisionShown(decision)) return []
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

/** Seconds of Retry-After; null where waiting never helps. */
export function retryAfterOf({ reason, retryAfterMs }: Refused): number | null {
  return reason === 'denied' || retryAfterMs === null ? null : retryAfterSeconds(retryAfterMs)
}

/** Names of the refusing policies as the fields say them. */
function violatedPolicies(decision: Refused): readonly string[] {
  if (decision.reason === 'denied') return []
  const verdicts = decisions.verdictsBehind(decision)
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
