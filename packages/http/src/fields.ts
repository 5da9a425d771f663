import type { Decision, Refused, Verdict } from '@sluice/core'
import { decisions, fieldInteger, retryAfterSeconds, secondsUp } from '@sluice/core/internal'

/** The names of all fields in lower case, by which frameworks keep them: so they need not convert them for each request. */
export const lowerNames = {
  'X-RateLimit-Limit': 'x-ratelimit-limit',
  'X-RateLimit-Remaining': 'x-ratelimit-remaining',
  'X-RateLimit-Reset': 'x-ratelimit-reset',
  'RateLimit-Policy': 'ratelimit-policy',
  RateLimit: 'ratelimit',
  'RateLimit-Limit': 'ratelimit-limit',
  'RateLimit-Remaining': 'ratelimit-remaining',
  'RateLimit-Reset': 'ratelimit-reset',
  'Retry-After': 'retry-after',
  'Cache-Control': 'cache-control',
} as const

export type FieldName = keyof typeof lowerNames
export type Field = readonly [name: FieldName, value: string]

/** One policy's part of a decision, as the header fields need it. */
export interface FieldVerdict {
  /** Already through wireName. */
  readonly policy: string
  /** After this request; in a refusal what is truly left, so it may be above 0. */
  readonly remaining: number
  readonly resetAfterMs: number
  /** null when allowed, and when waiting never helps. */
  readonly retryAfterMs: number | null
  readonly allowed: boolean
  /** Whether the limit counts requests in flight: it has no window, and no instant at which more is free. */
  readonly inFlight: boolean
}

/**
 * The value of `X-RateLimit-Reset` in whole epoch seconds; for seconds from now use secondsUp. `nowMs` is the
 * wall clock, which decides nothing else.
 */
export function xResetEpochSeconds(resetAfterMs: number, nowMs: number): number {
  return secondsUp(nowMs + resetAfterMs)
}

/**
 * A policy's item of the `RateLimit-Policy` field (draft-ietf-httpapi-ratelimit-headers), the same for every
 * response: make it once. `name` has been through wireName. The window is rounded up to whole seconds, so the
 * stated rate is never above the true one, and left out below one second.
 *
 * @example
 * policyItem('tickets', 2, 10_000, false) // '"tickets";q=2;w=10'
 * policyItem('uploads', 5, null, true) // '"uploads";q=5;qu="concurrent-requests"'
 */
export function policyItem(name: string, limit: number, windowMs: number | null, inFlight: boolean): string {
  const quota = `"${name}";q=${fieldInteger(limit)}`
  if (inFlight) return `${quota};qu="concurrent-requests"`
  return windowMs !== null && windowMs >= 1000 ? `${quota};w=${secondsUp(windowMs)}` : quota
}

/**
 * A policy's item of the `RateLimit` field: what remains, and the seconds until all is there again, or in a
 * refusal the seconds that Retry-After would say for this policy alone. No time where waiting never helps and
 * for requests in flight.
 *
 * @example
 * limitItem({ policy: 'tickets', remaining: 1, resetAfterMs: 9500, retryAfterMs: null, allowed: true, inFlight: false }) // '"tickets";r=1;t=10'
 */
export function limitItem(verdict: FieldVerdict): string {
  const item = `"${verdict.policy}";r=${fieldInteger(verdict.remaining)}`
  if (verdict.inFlight) return item
  if (verdict.allowed) return `${item};t=${secondsUp(verdict.resetAfterMs)}`
  return verdict.retryAfterMs === null ? item : `${item};t=${retryAfterSeconds(verdict.retryAfterMs)}`
}

/** A policy's item of the `RateLimit-Policy` field in drafts 6 and 7. */
export interface Quota {
  readonly units: number
  readonly windowSeconds: number
  readonly item: string
}

/**
 * undefined without a window, which both drafts require. It is rounded up to whole seconds, as in `policyItem`.
 *
 * @example
 * quotaOf(100, 60_000)?.item // '100;w=60'
 */
export function quotaOf(limit: number, windowMs: number | null): Quota | undefined {
  if (windowMs === null || !(windowMs > 0)) return undefined
  const [units, windowSeconds] = [fieldInteger(limit), secondsUp(windowMs)]
  return { units, windowSeconds, item: `${units};w=${windowSeconds}` }
}

/** The time until the reset, counted from the end of the request's wait. */
export function resetOf({ waitMs }: Decision, { resetAfterMs }: Pick<Verdict, 'resetAfterMs'>): number {
  return Math.max(0, resetAfterMs - waitMs)
}

/** Whether the X- fields are sent, and how they say when all is there again. */
export type XFields = 'seconds' | 'epoch-seconds' | false

function fieldOf(...field: [name: FieldName, value: string]): Field {
  return field
}

/** A list, made of rest arguments: decision/lane.ts of core says why. */
export function listOf<T>(...all: T[]): T[] {
  return all
}

/** The X- fields of a decision; none where nothing is known. */
export function xFields(decision: Decision, x: XFields, nowMs: () => number): Field[] {
  if (x === false || !decisions.isDecisionShown(decision)) return []
  const { allowed, limit, remaining } = decision
  const resetAfterMs = resetOf(decision, decision)
  const reset = x === 'seconds' ? secondsUp(resetAfterMs) : xResetEpochSeconds(resetAfterMs, nowMs())
  return listOf(
    fieldOf('X-RateLimit-Limit', String(fieldInteger(limit))),
    // Some clients back off only at 0.
    fieldOf('X-RateLimit-Remaining', allowed ? String(fieldInteger(remaining)) : '0'),
    fieldOf('X-RateLimit-Reset', String(reset)),
  )
}

/** Seconds of Retry-After; null where waiting never helps. */
export function retryAfterOf({ reason, retryAfterMs }: Refused): number | null {
  return reason === 'denied' || retryAfterMs === null ? null : retryAfterSeconds(retryAfterMs)
}
