import type { Reason, Refused } from '@sluice/core'
import { decisions, statusOf, wireName } from '@sluice/core/internal'
import { prefersText } from './accept.ts'
import { retryAfterOf } from './fields.ts'
import { plainText } from './refusal.ts'
import type { Refusal } from './request-view.ts'

/** A refusal, as the bodies describe it: nothing in it names a key. */
export interface RefusalFacts {
  readonly reason: Reason
  /** The value of Retry-After, or null where that field is absent. */
  readonly retryAfterSeconds: number | null
  /** The refusing policies by the names in the fields; a deny list has none. */
  readonly violatedPolicies: readonly string[]
}

interface ProblemType {
  readonly type: string
  readonly title: string
}

// draft-ietf-httpapi-ratelimit-headers, section 5: requested from IANA, not yet registered.
const prefix = 'https://iana.org/assignments/http-problem-types#'
const quotaExceeded: ProblemType = {
  type: `${prefix}quota-exceeded`,
  title: 'Request cannot be satisfied as assigned quota has been exceeded',
}
const reducedCapacity: ProblemType = {
  type: `${prefix}temporary-reduced-capacity`,
  title: 'Request cannot be satisfied due to temporary server capacity constraints',
}
// RFC 9457, 4.2.1: about:blank says no more than the status, and its title is the status phrase.
const forbidden: ProblemType = { type: 'about:blank', title: 'Forbidden' }

/**
 * The refusal as `application/problem+json` text (RFC 9457). For a client that prefers text, plainBody.
 *
 * @example
 * problemBody({ reason: 'limited', retryAfterSeconds: 7, violatedPolicies: ['tickets'] })
 * // {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"…","status":429,
 * //  "detail":"Too many requests: try again in 7 seconds.","violated-policies":["tickets"],
 * //  "reason":"limited","retryAfter":7}
 */
export function problemBody(about: RefusalFacts): string {
  const { reason, retryAfterSeconds, violatedPolicies } = about
  const violated =
    violatedPolicies.length > 0 ? `"violated-policies":${JSON.stringify(violatedPolicies)},` : ''
  const retryAfter = retryAfterSeconds === null ? '' : `,"retryAfter":${retryAfterSeconds}`
  // No sentence of plainBody has a character that JSON escapes.
  return `${beginnings[reason]}"detail":"${plainBody(about)}",${violated}"reason":"${reason}"${retryAfter}}`
}

/** The refusal as one plain sentence, the `detail` of problemBody, for `text/plain`. */
export function plainBody({ reason, retryAfterSeconds }: RefusalFacts): string {
  switch (reason) {
    case 'limited':
      return sentence('Too many requests', retryAfterSeconds)
    case 'blocked':
      return sentence('Requests are blocked for now', retryAfterSeconds)
    case 'banned':
      return sentence('Requests are banned', retryAfterSeconds)
    case 'denied':
      return 'This request is not allowed.'
    case 'too-costly':
      return 'This request costs more than the limit allows.'
    case 'store-unavailable':
      return sentence('The service cannot take this request now', retryAfterSeconds)
  }
}

function sentence(fact: string, seconds: number | null): string {
  if (seconds === null) return `${fact}.`
  return `${fact}: try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
}

/** Up to its detail, a problem depends on its reason alone. */
function beginningOf(reason: Reason, { type, title }: ProblemType): string {
  return `${JSON.stringify({ type, title, status: statusOf(reason) }).slice(0, -1)},`
}

const beginnings: { readonly [reason in Reason]: string } = {
  limited: beginningOf('limited', quotaExceeded),
  blocked: beginningOf('blocked', quotaExceeded),
  'too-costly': beginningOf('too-costly', quotaExceeded),
  banned: beginningOf('banned', forbidden),
  denied: beginningOf('denied', forbidden),
  'store-unavailable': beginningOf('store-unavailable', reducedCapacity),
}

/** The refusing policies, by the names that the header fields have. */
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
    ? plainText(status, plainBody(facts))
    : { status, type: 'application/problem+json', body: problemBody(facts) }
}
