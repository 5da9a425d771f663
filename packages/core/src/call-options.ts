import type { PerPolicy } from './decision/decision.ts'
import { memberOf } from './decision/per-policy.ts'
import type { Key } from './key.ts'
import type { NotApplicable } from './not-applicable.ts'
import type { Policy } from './policy.ts'
import type { Instant } from './strategies/calendar-text.ts'

/** The keys of one question, whatever the names of the policies. */
export type AnySubject = Key | { readonly [name: string]: Key | NotApplicable }

/** The options of one question, whatever the names of the policies. */
export interface AnyCheckOptions {
  cost?: PerPolicy<string, number> | string | undefined
  policy?: Policy | undefined
  policies?: { readonly [name: string]: Policy | undefined } | undefined
  note?: string | undefined
  since?: Instant | undefined
  take?: 'up-to' | undefined
}

/** The names of the options of one question. */
export const askNames = ['cost', 'policy', 'policies', 'note', 'since', 'take'] as const

/** The policy that a call asks for by this name: its own choice, else the limiter's; null: there is none. */
export function askedPolicy(
  lane: { readonly name: string; readonly policy: Policy | null },
  { policy, policies }: AnyCheckOptions,
): Policy | null {
  // A value that is no policy is refused where the question is made.
  return memberOf(policies ?? {}, lane.name) ?? policy ?? lane.policy
}
