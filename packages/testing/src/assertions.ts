import { AssertionError } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import type { Allowed, Decision, Refused } from '@sluice/core'
import { type AllowedFacts, judge, type RefusedFacts } from './facts.ts'

/**
 * For node:test and others without `expect`: throws an AssertionError unless the decision allows, with these facts.
 *
 * @example assertAllowed(await limiter.check('bob'), { remaining: 4 })
 */
export function assertAllowed(decision: Decision, facts?: AllowedFacts): asserts decision is Allowed {
  const { pass, message } = judge(decision, 'allowed', { facts, equals: isDeepStrictEqual })
  if (!pass) throw new AssertionError({ message, stackStartFn: assertAllowed })
}

/**
 * The same unless the decision refuses.
 *
 * @example assertRefused(await limiter.check('bob'), { by: 'login', retryAfterMs: 60_000 })
 */
export function assertRefused(decision: Decision, facts?: RefusedFacts): asserts decision is Refused {
  const { pass, message } = judge(decision, 'refused', { facts, equals: isDeepStrictEqual })
  if (!pass) throw new AssertionError({ message, stackStartFn: assertRefused })
}
