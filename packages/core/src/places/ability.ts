import type { AnyCheckOptions, AnySubject } from '../call-options.ts'
import type { Decision } from '../decision/decision.ts'
import type { Lane, LaneCheck, LaneQuestion, ListedCheck } from '../decision/lane.ts'
import type { LaneChange, Origin } from '../decision/limiter-decision.ts'
import type { PolicyVerdict } from '../decision/verdict.ts'
import type { Key } from '../key.ts'
import type { Listed } from '../lists.ts'
import type { States } from '../memory/states.ts'
import type { Operation } from '../observer.ts'
import type { Policy } from '../policy.ts'
import type { HeldLease, InLine, LinePlace, Renewal, Store, StoreRow, StoreRows, Warning } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { SleepersOwner } from '../waiting/sleepers.ts'
import type { Wait } from '../waiting/wait.ts'

/** A question that has been sent to the store, and what is needed to turn its answer into a decision. */
export interface Begun {
  readonly question: LaneQuestion
  readonly operation: Operation
  /** By `performance.now()`; 0 if no observer hears of decisions. */
  readonly startedAt: number
}

/** What a caller that seeks a place needs of its limiter. */
export interface LineLimiter extends SleepersOwner, Origin {
  readonly store: Store
  readonly lanes: readonly Lane[]
  readonly lists: { screen(checks: readonly LaneCheck[]): readonly LaneCheck[] | ListedCheck } | undefined
  /** undefined until the limiter has to do with a place in flight. */
  places: Places | undefined
  checksOf(subject: AnySubject, options: AnyCheckOptions): readonly LaneCheck[]
  refuseListed(policy: string, about: { key: Key; listed: Listed; operation: 'reserve' }): Decision
  begin(question: LaneQuestion, operation: 'reserve'): Begun
  finish(rows: StoreRows, about: Begun): Decision
  /** Throws if the store has no line. */
  storeMustBeAble(ability: 'line', verb: 'wait' | 'run'): void
}

/** What a caller that may have to wait asks, and for how long. */
export interface WaitingCall {
  readonly options: AnyCheckOptions
  readonly wait: Wait
}

/** A limiter whose places in flight are renewed. */
export interface LeasingLimiter {
  readonly store: Store
  /** Hears that the place has gone to another request. */
  lost(check: LaneCheck): void
  warned(warning: Warning): void
  /** Brings corrections to the store; never rejects. */
  adjust(changes: readonly LaneChange[]): Promise<void>
}

/** What keeps the places of requests in flight. It comes with the strategy that has them, so that bundles without it leave this out. */
export interface Places {
  /** Renews the place that a check has taken until it is freed or lapses. */
  keep(check: LaneCheck, row: StoreRow, limiter: LeasingLimiter): void
  /** Renews them no longer. */
  lapse(leases: readonly PolicyVerdict[], store: Store): void
  /** Renews no place of this limiter any longer, once those are given back whose requests are over. */
  lapseAllOf(limiter: LeasingLimiter): Promise<void>
  /** Gives these places back, and tells the lines of their keys; never rejects. */
  free(leases: readonly PolicyVerdict[], limiter: LeasingLimiter): Promise<void>
  /** Resolves when all questions about the store's lines are answered, and it knows which callers have left; undefined: none has come. */
  settled(store: Store): Promise<void> | undefined
  /** Answers when the caller has a place or may not wait any longer, at once where there is nothing to wait for. */
  seek(limiter: LineLimiter, subject: AnySubject, call: WaitingCall): Decision | Promise<Decision>
  /** Throws where a place cannot be waited for, as other policies are asked with its own, or the store has no line. */
  mustBeAbleToWait(limiter: LineLimiter, verb: 'wait' | 'run'): void
  /** Renews a lease in states that this process has at hand. */
  renew(states: States, held: HeldLease, nowUs: number): Renewal
  /** Lets callers stand in line in states that this process has at hand. */
  stand(states: States, callers: readonly InLine[], nowUs: number): readonly LinePlace[]
}

/** What keeps a policy's places in flight; undefined: it has none. */
export function placesOf({ policy }: { readonly policy: Policy }): Places | undefined {
  return partsOf(policy).definition.places as Places | undefined // strategies get it from places.ts
}
