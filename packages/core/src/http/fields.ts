/** One policy's part of a decision, as the header fields need it. */
export interface FieldVerdict {
  /** Already through wireName. */
  readonly policy: string
  readonly limit: number
  /** After this request; in a refusal what is truly left, so it may be above 0. */
  readonly remaining: number
  readonly resetAfterMs: number
  /** null when allowed, and when waiting never helps. */
  readonly retryAfterMs: number | null
  readonly allowed: boolean
  readonly windowMs: number | null
  /** The limit counts requests in flight: no window, and no instant at which more is free. */
  readonly inFlight: boolean
}

/** RFC 9651, 3.3.1: a longer integer makes a client drop the whole field. */
const largestInteger = 999_999_999_999_999

const plainText = /^[ !#$&-[\]-~]*$/

/** Milliseconds as whole seconds, rounded up: a client told a shorter wait would come back too early. */
export function secondsUp(ms: number): number {
  return fieldInteger(Math.ceil(ms / 1000))
}

/** The value of Retry-After in seconds, at least 1: with 0 clients repeat the request at once. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(1, secondsUp(ms))
}

/**
 * The value of `X-RateLimit-Reset` in whole epoch seconds; for seconds from now use secondsUp. `nowMs` is the
 * wall clock, which decides nothing else.
 */
export function xResetEpochSeconds(resetAfterMs: number, nowMs: number): number {
  return secondsUp(nowMs + resetAfterMs)
}

/**
 * A policy's name as the fields and the problem details carry it: whatever is not printable ASCII, and `%`,
 * `"` and `\`, is percent-encoded as UTF-8, so that it can stand between the quotes of an RFC 9651 String.
 * Different names stay different (half surrogate pairs aside). Encode once: a second time encodes the `%`.
 *
 * @example
 * wireName('Füttern') // 'F%C3%BCttern'
 */
export function wireName(text: string): string {
  if (plainText.test(text)) return text
  let encoded = ''
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte)
    encoded += plainText.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

/**
 * A policy's item of the `RateLimit-Policy` field (draft-ietf-httpapi-ratelimit-headers), the same for every
 * response: make it once. `name` has been through wireName. The window is rounded up to whole seconds, so the
 * rate told is never above the true one, and left out below one second.
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
 * limitItem({ policy: 'tickets', limit: 2, remaining: 1, resetAfterMs: 9500, retryAfterMs: null,
 *   allowed: true, windowMs: 10_000, inFlight: false }) // '"tickets";r=1;t=10'
 */
export function limitItem(verdict: FieldVerdict): string {
  const item = `"${verdict.policy}";r=${fieldInteger(verdict.remaining)}`
  if (verdict.inFlight) return item
  if (verdict.allowed) return `${item};t=${secondsUp(verdict.resetAfterMs)}`
  return verdict.retryAfterMs === null ? item : `${item};t=${retryAfterSeconds(verdict.retryAfterMs)}`
}

/** Whole, not negative, 15 digits at most: a field must never say NaN, Infinity or 1e+21. */
export function fieldInteger(value: number): number {
  return value > 0 ? Math.min(Math.floor(value), largestInteger) : 0
}
