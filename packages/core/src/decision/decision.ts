import type { Key } from '../key.ts'
import type { Reason, Summary } from '../store.ts'
import type { Duration } from '../units.ts'

/** One value for all policies, or a record by policy name. */
export type PerPolicy<N extends string, T> = T | { readonly [K in N]?: T | undefined }

interface Counted<N extends string> {
  readonly policy: N
  /** As it was asked, so that it can go back into `reset`, `block` or `inspect`. */
  readonly key: Key
  readonly cost: number
  readonly limit: number
  /** Units left as this call leaves the key. */
  readonly remaining: number
  /** Until the key is as good as new, rounded up: 6.8 s are 6800. */
  readonly resetAfterMs: number
}

export interface AllowedVerdict<N extends string = string> extends Counted<N> {
  readonly allowed: true
  readonly reason: null
  readonly retryAfterMs: null
}

export interface RefusedVerdict<N extends string = string> extends Counted<N> {
  readonly allowed: false
  readonly reason: Reason
  /**
   * A client that waits this long gets in; null: waiting never helps (`too-costly`, `denied`). Of a blocked key the end of its block,
   * when its count may still refuse.
   */
  readonly retryAfterMs: number | null
}

/** What one policy says. */
export type Verdict<N extends string = string> = AllowedVerdict<N> | RefusedVerdict<N>

interface Answer<N extends string> {
  /** The limiter's name. */
  readonly limiter: string
  /** By policy, in configuration order; absent where a policy did not apply. */
  readonly verdicts: { readonly [K in N]?: Verdict<K> }
  readonly summary: Summary
  /** `'none'`: no count is behind the answer. A custom store says its own name. */
  readonly source: 'redis' | 'memory' | 'fallback' | 'none' | (string & {})
  /** What a shadow policy would have refused; `allowed` stays true. */
  readonly shadow: RefusedVerdict<N> | null
  /** How long a reservation waits; 0 for a check. */
  readonly waitMs: number
  /**
   * Aborted when the request's client has gone before its response was ended: for work whose result has no reader. Without HTTP it
   * never is.
   *
   * @example await fetch(upstream, { signal: req.rateLimit?.signal ?? null })
   */
  readonly signal: AbortSignal
  /** Corrects the charge to the true cost, known only now; also a higher one. Once; nothing where nothing was taken; never rejects. */
  settle(cost: PerPolicy<N, number>): Promise<void>
  /** `settle(0)`. */
  refund(): Promise<void>
  /** Frees slots in flight and keeps what was used. */
  release(): Promise<void>
}

export type Allowed<N extends string = string> = AllowedVerdict<N> & Answer<N>
export type Refused<N extends string = string> = RefusedVerdict<N> & Answer<N>

/**
 * Reads as its binding verdict: when refused, the one with the longest wait; when allowed, the one with the fewest further
 * requests like this one. Tell the two apart by `allowed`.
 */
export type Decision<N extends string = string> = Allowed<N> | Refused<N>

/** A decision that may have to wait for its time: `waitMs`. */
export type Reservation<N extends string = string> = Decision<N> & {
  /** Gives back what no later call has built upon; once; never rejects. */
  cancel(): Promise<void>
}

/** What a policy shows of one key: its verdict for a look, the block, and who used it where the strategy remembers. */
export type Inspection = Verdict & {
  readonly blockedMs: number | null
  readonly entries: readonly { readonly note: string; readonly agoMs: number }[]
}

/** More units, or the time that the next call waits at least (raised, never added). */
export type Penalty<N extends string> = PerPolicy<N, number> | { readonly wait: Duration }
