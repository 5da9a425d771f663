import type { Key } from './key.ts'

/**
 * What somebody has done to a key, to the lists that change while it runs (`allow`, `deny`, `refuse`, `unlist`), or to a limit that
 * does (`change`, `restore`; its name is the key): not what a policy does by itself.
 */
export interface Act {
  readonly act:
    | 'block'
    | 'unblock'
    | 'reset'
    | 'set'
    | 'allow'
    | 'deny'
    | 'refuse'
    | 'unlist'
    | 'change'
    | 'restore'
  /** '' where it concerns all limiters. */
  readonly limiter: string
  /** How many limiters it concerns, where they have been counted: not for lists, which later limiters obey too. */
  readonly limiters?: number | undefined
  /** Those of `limiter` that it concerns; none where it concerns all of them, or a list. */
  readonly policies: readonly string[]
  readonly key: Key
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** How long a block, an entry of a list or a changed limit lasts. */
  readonly forMs?: number | undefined
  /** What `set` has set. */
  readonly units?: number | undefined
  /** What `change` has changed: `count=50`. */
  readonly to?: string | undefined
  readonly why?: string | undefined
  readonly by?: string | undefined
}

/** Why something is done to a key, and by whom: observers hear of it. */
export interface ActReason {
  /** @example 'scraper, see ticket 4711' */
  readonly why?: string | undefined
  /** @example 'alice' */
  readonly by?: string | undefined
}
