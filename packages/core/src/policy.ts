/** What a strategy can do beyond `check`, `peek`, `block`, `unblock`, `reset` and `inspect`. */
export type Ability = 'reserve' | 'refund' | 'penalize' | 'note'

/** A rule: a strategy and its numbers, frozen plain data without a name. Made by the strategy's constructor or by `policyFrom`. */
export interface Policy<Can extends Ability = never> {
  readonly type: 'sluice.policy'
  readonly strategy: string
  /** The most that fits at once: what `X-RateLimit-Limit` says. */
  readonly limit: number
  /** The span that the limit speaks of; null where there is none (slots in flight). */
  readonly windowMs: number | null
  readonly can: { readonly [A in Can]: true }
}

export type Policies = { readonly [name: string]: Policy }

/** By value, so that policies of two copies of this package mix. */
export function isPolicy(value: unknown): value is Policy {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'sluice.policy' &&
    'definition' in value
  )
}

// By a registered symbol, so that two copies of this package know each other's.
const makes = Symbol.for('sluice.makesPolicies')

/** Marks what makes policies of options: a middleware would take it for a function that chooses one for each request. */
export function markMaker<F extends object>(maker: F): F {
  return Object.defineProperty(maker, makes, { value: true })
}

/** true for a strategy's constructor itself, where its policy is meant: it was not called. */
export function isMaker(value: unknown): boolean {
  return typeof value === 'function' && makes in value
}
