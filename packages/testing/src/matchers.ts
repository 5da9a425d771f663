import { type AllowedFacts, judge, type RefusedFacts } from './facts.ts'

/** The matchers that `expect.extend(matchers)` adds to `expect` of jest and vitest. */
export interface DecisionMatchers<R = unknown> {
  /**
   * Expects that the decision allows.
   *
   * @example expect(await limiter.check('bob')).toBeAllowed({ remaining: 4 })
   */
  toBeAllowed(facts?: AllowedFacts): R
  /**
   * Expects that the decision refuses.
   *
   * @example expect(await limiter.check('bob')).toBeRefused({ by: 'login', retryAfterMs: 60_000 })
   */
  toBeRefused(facts?: RefusedFacts): R
}

/** The context that both runners give to a matcher. */
interface MatcherContext {
  readonly isNot?: boolean
  equals(one: unknown, other: unknown): boolean
}

interface MatcherResult {
  readonly pass: boolean
  message(): string
}

function resultOf(
  context: MatcherContext,
  received: unknown,
  outcome: 'allowed' | 'refused',
  facts: AllowedFacts | RefusedFacts | undefined,
): MatcherResult {
  const { pass, message } = judge(received, outcome, {
    facts,
    not: context.isNot === true,
    equals: (one, other) => context.equals(one, other),
  })
  return { pass, message: () => message }
}

/**
 * `toBeAllowed` and `toBeRefused`, for jest and vitest.
 *
 * @example expect.extend(matchers)
 */
export const matchers = {
  toBeAllowed(this: MatcherContext, received: unknown, facts?: AllowedFacts): MatcherResult {
    return resultOf(this, received, 'allowed', facts)
  },
  toBeRefused(this: MatcherContext, received: unknown, facts?: RefusedFacts): MatcherResult {
    return resultOf(this, received, 'refused', facts)
  },
}

// The names, parameters and bounds of these interfaces are the runners'.
// biome-ignore lint/suspicious/noTsIgnore: where the module is not installed, users' compilers must not complain
/** @ts-ignore: for `expect` of `@jest/globals`; where it is not installed there is nothing to add to. */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends DecisionMatchers<R> {}
}

// biome-ignore lint/suspicious/noTsIgnore: as above
/** @ts-ignore: the same for vitest. */
declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it
  interface Assertion<T = any> extends DecisionMatchers<void> {}
}

declare global {
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: as @types/jest declares it
    interface Matchers<R, T = {}> extends DecisionMatchers<R> {}
  }
}
