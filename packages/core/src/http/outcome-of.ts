import type { Decision } from '../decision.ts'
import type { HeaderOptions } from './options.ts'
import { fieldsOf, refusalOf } from './outcome.ts'
import { readHeaders } from './rules.ts'
import type { Outcome } from './view.ts'

/**
 * Fields and refusal of a decision, for code that decides by itself (GraphQL, RPC).
 *
 * @example
 * const { headers, refusal } = outcomeOf(await limiter.check(user), { accept: request.headers.accept })
 */
export function outcomeOf(
  decision: Decision,
  options: { headers?: false | HeaderOptions | undefined; accept?: string | undefined } = {},
): Outcome {
  const counted = decision.limit !== Number.POSITIVE_INFINITY
  return {
    decision: counted ? decision : null,
    headers: counted ? fieldsOf(decision, readHeaders(options.headers), Date.now) : [],
    refusal: decision.allowed ? null : refusalOf(decision, options.accept),
  }
}
