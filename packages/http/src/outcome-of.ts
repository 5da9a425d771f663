import type { Decision } from '@sluice/core'
import { checkNames, optionError } from '@sluice/core/internal'
import type { HeaderOptions } from './options.ts'
import { refusalOf } from './problem.ts'
import { mergeFields, RequestState } from './request-state.ts'
import type { Outcome } from './request-view.ts'
import { readHeaders } from './rules.ts'

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
  if (decision?.allowed === undefined)
    throw optionError('decision', 'what `await check(…)` answers', decision)
  checkNames(options, '', ['headers', 'accept'])
  const { headers, accept } = options
  if (accept !== undefined && typeof accept !== 'string') throw optionError('accept', 'a string', accept)
  const rules = readHeaders(headers)
  const counted = decision.limit !== Number.POSITIVE_INFINITY
  return {
    decision: counted ? decision : null,
    headers: counted ? mergeFields(new RequestState({}), decision, { rules, nowMs: Date.now }) : [],
    refusal: decision.allowed ? null : refusalOf(decision, accept),
  }
}
