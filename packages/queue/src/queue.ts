import type { Duration, Logger, Observer, RedisClient } from '@sluice/core'
import type { Jobs } from './jobs.ts'

/** What became of an offered job. `position` counts the entries that are not done, up to and including this one. */
export type Offer =
  | {
      readonly allowed: true
      readonly ticket: string
      readonly position: number
      /** Until it is done, estimated from the processors' speed; null while nothing was measured. */
      readonly waitMs: number | null
    }
  | {
      readonly allowed: false
      readonly reason: 'full' | 'too-large' | 'store-unavailable'
      /** null: waiting never helps (too-large). */
      readonly retryAfterMs: number | null
    }

export type TicketStatus<Result> =
  | { readonly state: 'waiting'; readonly position: number; readonly waitMs: number | null }
  | { readonly state: 'running'; readonly attempt: number }
  | { readonly state: 'done'; readonly result: Result }
  /** `error` is the work's own text, for the server's side: it may hold addresses and keys. `ticketStatus` keeps it to itself. */
  | { readonly state: 'failed'; readonly error: string }

/** For pages and metrics. */
export interface QueueHealth {
  /** Waiting for their first attempt or for another one. */
  readonly waiting: number
  readonly running: number
  /** Age of the oldest entry that is not done; null where there is none. */
  readonly oldestMs: number | null
  /** Since the queue came to be. */
  readonly done: number
  /** As `done`: entries that failed for good. */
  readonly dead: number
  /** Codes of what was warned of in this process. */
  readonly warnings: readonly string[]
}

/** A queue that admits a job while there is room, so that its processors' speed is the rate limit. */
export interface Queue<Job, Result> {
  readonly name: string
  /** Never rejects but with a TypeError, for a job that has no JSON. A lost reply is `store-unavailable` although the job may run. */
  offer(job: Job): Promise<Offer>
  /** undefined: unknown, or forgotten. Rejects with a StoreError where the queue is out of reach. */
  status(ticket: string): Promise<TicketStatus<Result> | undefined>
  /** The other side, for `processor()`. */
  readonly jobs: Jobs<Job, Result>
  /** Rejects with a StoreError where the queue is out of reach. */
  health(): Promise<QueueHealth>
  /** Never rejects: resolves when the queue has answered once, or its first attempt has failed. */
  ready(): Promise<void>
  /** Ends what it made itself. Stop its processors first. */
  close(): Promise<void>
}

export interface QueueOptions {
  /** Queues of one name on one Redis are one queue. */
  name: string
  /** As `redisStore()` takes it. A client of your own you connect and close yourself. */
  redis: RedisClient
  /** Most entries that wait or run at once; of a list, that wait. */
  limit: number
  /** Most failed entries that are kept, the latest. @default 1000 */
  deadLetters?: number | undefined
  /** Bytes of a job's JSON, and of a result's. @default 65_536 */
  maxJobBytes?: number | undefined
  /** How long a result can be looked up: results take rate × this × their size. @default '1h' */
  keepResults?: Duration | undefined
  /** How long an offer or a look waits for Redis; processors are more patient. @default '100ms' */
  deadline?: Duration | undefined
  /** They get warnings, each job that failed for good with its error, and whether the queue answers its processors. */
  observers?: readonly Observer[] | undefined
  /** Each warning once. @default console */
  logger?: Logger | undefined
}
