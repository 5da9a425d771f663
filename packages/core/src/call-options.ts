import type { PerPolicy } from './decision/decision.ts'
import { memberOf } from './decision/per-policy.ts'
import type { Key } from './key.ts'
import type { Policies, Policy } from './policy.ts'
import type { Instant } from './strategies/calendar-text.ts'

/** The type of `notApplicable`: by meaning, so that those of two copies of this package are one type. */
export type NotApplicable = symbol & { readonly description: 'sluice.notApplicable' }

/**
 * Says that a policy does not apply: as one of a record of keys, as the answer of a middleware's `key`, where then nothing is
 * counted, and as the answer of a `policy` function. No JSON, form or query that a client sends becomes it, as `null` might.
 *
 * @example
 * await limiter.check({ visitor: 'bob', attraction: notApplicable })
 * rateLimit({ policy: (req) => (req.user?.plan === 'staff' ? notApplicable : free) })
 */
export const notApplicable: NotApplicable = Symbol.for('sluice.notApplicable') as NotApplicable // its description is its name

export function isNotApplicable(value: unknown): value is NotApplicable {
  return value === notApplicable
}

/** The keys of one question: one for all policies, or one for each; `notApplicable` = that policy does not apply this time. */
export type Subject<N extends string> = Key | { readonly [K in N]: Key | NotApplicable }

export interface CheckOptions<N extends string, P extends Policies = Policies> {
  /** Units, or a kind of request that has a price in `prices`. @default 1 each; 0 looks without taking */
  cost?: PerPolicy<N, number> | string | undefined
  /** Other numbers for this call (plan, tenant), same name, same count. Where there is one policy. */
  policy?: Policy | undefined
  /** The same by name. */
  policies?: { readonly [K in keyof P]?: Policy | undefined } | undefined
  /** Kept by attributedWindow and fairShare; other strategies ignore it. */
  note?: string | undefined
  /**
   * When the key's own period began: windows of the calendar count from this instant, so that a month begins on its day at its time. For
   * `fixedWindow` with `every`; policies without a calendar stay as they are.
   *
   * @example await limiter.check(customer.id, { since: customer.startedAt })
   */
  since?: Instant | undefined
}

/** The keys of one question, whatever the names of the policies. */
export type AnySubject = Subject<string>

/** The options of one question, whatever the names of the policies. */
export interface AnyCheckOptions extends CheckOptions<string> {
  take?: 'up-to' | undefined
}

export const askNames = ['cost', 'policy', 'policies', 'note', 'since', 'take'] as const

/** The policy that a call asks for by this name: its own choice, else the limiter's; null: there is none. */
export function askedPolicy(
  lane: { readonly name: string; readonly policy: Policy | null },
  { policy, policies }: AnyCheckOptions,
): Policy | null {
  // A value that is no policy is refused where the question is made.
  return memberOf(policies ?? {}, lane.name) ?? policy ?? lane.policy
}
