/**
 * An entry as handed to a member.
 * - `now`: its attempt has begun, and its work starts at once.
 * - `alone`: its last attempt, not begun yet. The member takes no more entries, waits until nothing else runs in its process, and
 *   calls `start`: a job that kills its process then takes no others with it.
 * - `spent`: its attempts are used up. It never runs, and is finished as failed at once.
 */
export interface Handed<Job> {
  readonly how: 'now' | 'alone' | 'spent'
  /** The queue's name for the entry. */
  readonly mark: string
  readonly ticket: string
  /** Also present for a spent one. */
  readonly job: Job
  /** 1 for the first; for `alone`, the attempt that `start` begins. */
  readonly attempt: number
}

/**
 * How work ended. `again`: it failed and may be tried again, after min(idleClaim, 1 s × 2^(attempt − 1)). `workMs` is how long the
 * work took; null where none was done. `done` becomes `failed` if the result cannot be written as JSON or is larger than a job may be.
 */
export type Outcome<Result> =
  | { readonly state: 'done'; readonly result: Result; readonly workMs: number }
  | { readonly state: 'failed' | 'again'; readonly error: string; readonly workMs: number | null }

/** `ok`: written now. `gone`: it had ended before. `lost`: another member has it. The latter two write nothing. */
export type Finished = 'ok' | 'gone' | 'lost'

export interface JoinOptions {
  /** Another member may take an entry that was not renewed for this time. */
  readonly idleClaimMs: number
  readonly maxAttempts: number
}

/** The processing side of a queue. */
export interface Jobs<Job, Result> {
  join(options: JoinOptions): Member<Job, Result>
}

/**
 * One processor's part in a queue. Each call may reject with a StoreError, having taken effect or not, and may be repeated as often
 * as needed: it takes effect only once.
 */
export interface Member<Job, Result> {
  /**
   * Takes at most `room` entries (at least 1); waits about a second for the first, or until the signal is aborted if the
   * store supports that. At most one of them is `alone`.
   */
  take(room: number, signal: AbortSignal): Promise<readonly Handed<Job>[]>
  /** Keeps entries from being taken by others. Resolves to those that no longer belong to this member. */
  renew(held: readonly Handed<Job>[]): Promise<readonly Handed<Job>[]>
  /** Begins the attempt of an `alone` entry. Resolves to it as `now`; undefined if another member has it. */
  start(handed: Handed<Job>): Promise<Handed<Job> | undefined>
  finish(handed: Handed<Job>, outcome: Outcome<Result>): Promise<Finished>
  /**
   * The last call of a member, without a `take` under way. `unstarted` were handed as `now` and never run: they go back with their
   * attempt unused. `running` still run although the processor has stopped: they keep their attempt and can be taken by others once
   * idleClaim has passed. Whatever else is this member's can be taken at once.
   */
  leave(left: {
    readonly unstarted: readonly Handed<Job>[]
    readonly running: readonly Handed<Job>[]
  }): Promise<void>
}
