/**
 * An entry as a member got it.
 * - `now`: its attempt has begun, and its work starts at once.
 * - `alone`: its last attempt, not begun yet. The member takes nothing more, waits until nothing else runs in its process, and
 *   calls `start`: a job that kills its process takes no neighbours with it.
 * - `spent`: its attempts are used up. It never runs, and is finished as failed at once.
 */
export interface Handed<Job> {
  readonly how: 'now' | 'alone' | 'spent'
  /** The queue's own name of the entry. */
  readonly mark: string
  readonly ticket: string
  /** Of a spent one too. */
  readonly job: Job
  /** 1 for the first; of one to be started alone the one that then begins. */
  readonly attempt: number
}

/**
 * How work ended. `again`: it failed and may be tried again, after min(idleClaim, 1 s × 2^(attempt − 1)). `workMs` is how long the
 * work took; null where none was done. A queue makes `failed` of `done` where the result has no JSON or is larger than a job may be.
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

/** A queue's other side: where processors come from. */
export interface Jobs<Job, Result> {
  join(options: JoinOptions): Member<Job, Result>
}

/**
 * One processor's part in a queue. Each call may reject with a StoreError, having taken effect or not, and may be repeated as often
 * as it takes: whatever it does takes effect once.
 */
export interface Member<Job, Result> {
  /**
   * At most `room` entries, which is at least 1; waits about a second for the first, or until the signal is aborted where a
   * store can tell. At most one of them is an `alone`.
   */
  take(room: number, signal: AbortSignal): Promise<readonly Handed<Job>[]>
  /** Keeps entries from being taken by others. Answers those that are this member's no longer. */
  renew(held: readonly Handed<Job>[]): Promise<readonly Handed<Job>[]>
  /** Begins the attempt of one that is to run alone. Answers it as `now`; undefined where another member has it. */
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
