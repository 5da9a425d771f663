import type { Redis } from 'ioredis'
import type { Pace } from './rounds.ts'

/** What a part is measured with. */
export interface Bench {
  /** Of the bench's own server. */
  readonly url: string
  /** Its process. */
  readonly pid: number
  /** A connection of the bench's own to it. */
  readonly client: Redis
  readonly pace: Pace
  readonly quick: boolean
  /** This process has a core of its own, and so has the server. */
  readonly pinned: boolean
}
