import type { Duration, Logger, Observer, RedisClient } from '@sluice/core'
import type { Jobs } from './jobs.ts'

/** The result of offering a job. `position` counts the unfinished entries up to and including this one. */
export type Offer =
  | {
      readonly allowed: true
      readonly ticket: string
      readonly position: number
      /** Time until the job is done, estimated from the processors' speed; null if nothing was measured. */
      readonly waitMs: number | null
    }
  | {
      readonly allowed: false
      readonly reason: 'full' | 'too-large' | 'store-unavailable'
      /** null if waiting never helps (too-large). */
      readonly retryAfterMs: number | null
    }

export type TicketStatus<Result> =
  | { readonly state: 'waiting'; readonly position: number; readonly waitMs: number | null }
  | { readonly state: 'running'; readonly attempt: number }
  | { readonly state: 'done'; readonly result: Result }
  /** `error` is the message of the work's error, for the server only: it may contain addresses and keys. `ticketStatus` never sends it. */
  | { readonly state: 'failed'; readonly error: string }

/** The state of a queue, for pages and metrics. */
export interface QueueHealth {
  /** Entries that wait for their first attempt or for a retry. */
  readonly waiting: number
  readonly running: number
  /** Age of the oldest unfinished entry; null if there is none. */
  readonly oldestMs: number | null
  /** Entries that were done since the queue was created. */
  readonly done: number
  /** Entries that failed for good since the queue was created. */
  readonly dead: number
  /** Codes of warnings in this process. */
  readonly warnings: readonly string[]
}

/** A queue that admits a job while there is room, so that its processors' speed is the rate limit. */
export interface Queue<Job, Result> {
  readonly name: string
  /**
   * Rejects only with an OptionError, for a job that cannot be written as JSON. If the reply is lost, the result is `store-unavailable`
   * although the job may run.
   */
  offer(job: Job): Promise<Offer>
  /** Resolves to undefined if the ticket is unknown or expired. Rejects with a StoreError if the queue cannot be reached. */
  status(ticket: string): Promise<TicketStatus<Result> | undefined>
  /** The processing side, for `processor()`. */
  readonly jobs: Jobs<Job, Result>
  /** Rejects with a StoreError if the queue cannot be reached. */
  health(): Promise<QueueHealth>
  /** Never rejects: resolves when the queue has answered once, or its first attempt has failed. */
  ready(): Promise<void>
  /** Closes what the queue created itself. Stop its processors first. */
  close(): Promise<void>
}

export interface QueueOptions {
  /** Queues with the same name on the same Redis are one queue. */
  name: string
  /** Anything that `redisStore()` takes, except a REST API and a client of GLIDE. You connect and close a client of your own. */
  redis: RedisClient
  /** The most entries that wait or run at once; for a list, that wait. */
  limit: number
  /** The number of failed entries that are kept, the latest ones. @default 1000 */
  deadLetters?: number | undefined
  /** The most bytes of a job's JSON, and of a result's. @default 65_536 */
  maxJobBytes?: number | undefined
  /** How long a result can be looked up; results need rate × this time × their size of memory. @default '1h' */
  keepResults?: Duration | undefined
  /** How long an offer or a look-up waits for Redis; processors wait longer. @default '100ms' */
  deadline?: Duration | undefined
  /** Observers that get warnings, each job that failed for good with its error, and whether the queue answers its processors. */
  observers?: readonly Observer[] | undefined
  /** Gets each warning once. @default console */
  logger?: Logger | undefined
}
