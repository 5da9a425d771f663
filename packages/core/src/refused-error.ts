import type { Refused } from './decision/decision.ts'
import { codedError, hasCode } from './errors.ts'
import type { Reason } from './store.ts'
import { retryAfterSeconds } from './units.ts'

/** A refusal as an error: of `run`, `limitedFetch`, and `refuseBy: 'error'`. Recognize it by `isRefusedError`. */
export interface RefusedError extends Error {
  readonly code: 'SLUICE_REFUSED'
  readonly decision: Refused
  readonly status: number
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly expose: true
}

export function refusedError(
  decision: Refused,
  message: string,
  answer: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
): RefusedError {
  const facts = { code: 'SLUICE_REFUSED', ...answer, statusCode: answer.status, expose: true } as const
  return codedError(message, { ...facts, decision })
}

/** The status of a refusal: 403 when denied or banned, 503 while the store cannot answer, else 429. */
export function statusOf(reason: Reason): 429 | 403 | 503 {
  if (reason === 'denied' || reason === 'banned') return 403
  return reason === 'store-unavailable' ? 503 : 429
}

/** A refusal outside HTTP. */
export function refusalError(decision: Refused): RefusedError {
  const { reason, retryAfterMs, policy, limiter } = decision
  const wait = retryAfterMs === null ? '' : `, try again in ${retryAfterMs} ms`
  const headers = retryAfterMs === null ? {} : { 'Retry-After': String(retryAfterSeconds(retryAfterMs)) }
  return refusedError(decision, `refused by ${limiter}.${policy}: ${reason}${wait}`, {
    status: statusOf(reason),
    headers,
  })
}

/** Whether it is a refusal, by any copy of this package. */
export function isRefusedError(error: unknown): error is RefusedError {
  return hasCode(error, 'SLUICE_REFUSED')
}
