/** Operations that only some strategies support, beyond `check`, `peek`, `block`, `unblock`, `reset` and `inspect`. */
export type Ability = 'reserve' | 'refund' | 'penalize' | 'reward' | 'line' | 'note'

/** A rule: a strategy and its numbers, as frozen plain data without a name. Created by the strategy's function or by `policyFrom`. */
export interface Policy<Can extends Ability = never> {
  readonly type: 'sluice.policy'
  readonly strategy: string
  /** The most that fits at once: the value of `X-RateLimit-Limit`. */
  readonly limit: number
  /** The window of the limit, the longest where they differ in length; null if there is none (requests in flight). */
  readonly windowMs: number | null
  readonly can: { readonly [A in Can]: true }
}

/** Lets operations replace a policy while limiters use it: each call reads it. */
export interface Changing {
  /** The replacement; undefined: the policy itself applies. */
  now: Policy | undefined
}

export type Policies = { readonly [name: string]: Policy }

/** Compared by value, so that policies of two copies of this package can be mixed. */
export function isPolicy(value: unknown): value is Policy {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'sluice.policy' &&
    'definition' in value
  )
}

// A registered symbol, so that two copies of this package recognize each other's.
const makes = Symbol.for('sluice.makesPolicies')

/** Marks a strategy's function: a middleware would otherwise take it for a function that chooses a policy per request. */
export function markMaker<F extends object>(maker: F): F {
  return Object.defineProperty(maker, makes, { value: true })
}

/** Whether a value is a strategy's function that was not called. */
export function isMaker(value: unknown): boolean {
  return typeof value === 'function' && makes in value
}
