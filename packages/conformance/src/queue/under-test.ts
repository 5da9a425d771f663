import type { Queue, QueueOptions } from '@sluice/queue'

/** What a case wants of its queue; all else is the factory's. */
export type Wanted = Pick<QueueOptions, 'limit' | 'deadLetters' | 'maxJobBytes' | 'keepResults' | 'observers'>

/** A job that failed for good, as the queue keeps it. */
export interface Buried {
  readonly ticket: string
  readonly job: unknown
  readonly attempt: number
  readonly error: string
}

/** A queue of a name that no other has, and the hands that its tests need. */
export interface QueueUnderTest {
  readonly queue: Queue<unknown, unknown>
  /** The latest last. Left out: it keeps none. */
  buried?(): Promise<readonly Buried[]>
  close(): Promise<void>
}

export type QueueFactory = (wanted: Wanted) => Promise<QueueUnderTest>
