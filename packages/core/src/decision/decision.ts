import type { Key } from '../key.ts'
import type { Listed } from '../lists.ts'
import type { Reason, Summary } from '../store.ts'
import type { Duration } from '../units.ts'

/** One value for all policies, or a record by policy name. */
export type PerPolicy<N extends string, T> = T | { readonly [K in N]?: T | undefined }

interface CountedVerdict<N extends string> {
  readonly policy: N
  /** The key as passed in, for `reset`, `block` or `inspect`. */
  readonly key: Key
  readonly cost: number
  readonly limit: number
  /** Units left after this call. */
  readonly remaining: number
  /** Time until the full limit is available again, rounded up: 6.8 s are 6800. */
  readonly resetAfterMs: number
}

export interface AllowedVerdict<N extends string = string> extends CountedVerdict<N> {
  readonly allowed: true
  readonly reason: null
  readonly retryAfterMs: null
}

export interface RefusedVerdict<N extends string = string> extends CountedVerdict<N> {
  readonly allowed: false
  /**
   * limited: by the count; blocked, banned: the key, for a time; denied: by a list; too-costly: more than ever fits; store-unavailable:
   * by `onStoreFailure: 'deny'`.
   */
  readonly reason: Reason
  /**
   * A client that waits this long passes; null if waiting never helps (`too-costly`, `denied`). For a blocked key the end of its block,
   * after which its count may still refuse.
   */
  readonly retryAfterMs: number | null
}

/** The answer of one policy. */
export type Verdict<N extends string = string> = AllowedVerdict<N> | RefusedVerdict<N>

interface DecisionAbout<N extends string> {
  /** The limiter's name. */
  readonly limiter: string
  /** By policy, in configuration order; absent if a policy did not apply. */
  readonly verdicts: { readonly [K in N]?: Verdict<K> }
  readonly summary: Summary
  /** `'none'` if nothing was counted; for a custom store, its name. */
  readonly source: 'redis' | 'memory' | 'fallback' | 'none' | (string & {})
  /** What a shadow policy would have refused; `allowed` stays true. */
  readonly shadow: RefusedVerdict<N> | null
  /** How long a reservation waits; 0 for a check. */
  readonly waitMs: number
  /**
   * Aborted if the client disconnects before its response has ended, so that work without a reader can stop. Without HTTP it
   * is never aborted.
   *
   * @example await fetch(upstream, { signal: req.rateLimit?.signal ?? null })
   */
  readonly signal: AbortSignal
  /**
   * Corrects the charge to the true cost, which may be higher. Works once; has no effect if nothing was charged; never rejects: a value
   * that is no cost leaves the charge as it is, with a warning.
   */
  settle(cost: PerPolicy<N, number>): Promise<void>
  /** `settle(0)`. */
  refund(): Promise<void>
  /** Releases leases and keeps all other charges. */
  release(): Promise<void>
}

export type Allowed<N extends string = string> = AllowedVerdict<N> & DecisionAbout<N>
export type Refused<N extends string = string> = RefusedVerdict<N> & DecisionAbout<N>

/**
 * Has the fields of its binding verdict: when refused, the one with the longest wait; when allowed, the one with the fewest further
 * requests like this one. `allowed` distinguishes the two.
 */
export type Decision<N extends string = string> = Allowed<N> | Refused<N>

/** A decision that may have to wait for its time: `waitMs`. */
export type Reservation<N extends string = string> = Decision<N> & {
  /** Gives back the reservation if no later one was made since. Works once; never rejects. */
  cancel(): Promise<void>
}

/** The decision of `take: 'up-to'`. */
export type Taking<N extends string = string> = Decision<N> & {
  /** How many units of the cost were taken, from each policy the same number; 0 if it is refused. */
  readonly taken: number
}

/**
 * The state of one key for a policy. `allowed`, `reason` and `retryAfterMs` are what a `check` for one unit would answer; `remaining`
 * and `resetAfterMs` describe the count, which a block does not change.
 */
export type Inspection = Verdict & {
  readonly blockedMs: number | null
  /** The block is a ban. */
  readonly banned: boolean
  /** How many blocks by its policy count for the next one: with `factor` or `banAfter`. */
  readonly blocks: number
  readonly entries: readonly { readonly note: string; readonly agoMs: number }[]
  /** The entry of a list that the key is on; left out if it is on none. */
  readonly listed?: Listed
  /** What a policy in shadow mode would have refused, while `allowed` is true: left out otherwise. */
  readonly shadow?: RefusedVerdict
}

/** More units, or a minimum wait for the next call (repeated penalties do not add up). */
export type Penalty<N extends string> = PerPolicy<N, number> | { readonly wait: Duration }
