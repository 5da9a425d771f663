import type { Key } from '../key.ts'
import type { Charge } from '../store.ts'
import type { NamedCheck } from './decided.ts'

/** A question that is refused without a count, by the policy of that name. */
export interface Denial {
  readonly deniedBy: string
  readonly key: Key
}

/** Turns what a caller asks into checks. Throws TypeErrors for what cannot be meant. */
export interface Questions<Subject, Options> {
  readonly charge: Charge
  /** What a decision without a verdict reads as. */
  readonly firstPolicy: string
  ask(subject: Subject, options: Options | undefined): readonly NamedCheck[] | Denial
  /** What `block`, `unblock` and `reset` concern. */
  managed(subject: Subject): readonly NamedCheck[]
}
