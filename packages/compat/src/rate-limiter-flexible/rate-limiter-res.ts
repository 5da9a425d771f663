import { inspect } from 'node:util'

export interface IRateLimiterRes {
  msBeforeNext?: number
  remainingPoints?: number
  consumedPoints?: number
  isFirstInDuration?: boolean
}

/** What a limiter resolves with, and what it rejects with where it refuses: that is no Error. */
export class RateLimiterRes {
  remainingPoints: number
  /** Until the points are reset or the block is over; -1: never. */
  msBeforeNext: number
  /** Refused points are counted, too. */
  consumedPoints: number
  #isFirst = false

  constructor(remainingPoints = 0, msBeforeNext = 0, consumedPoints = 0, isFirstInDuration = false) {
    this.remainingPoints = remainingPoints
    this.msBeforeNext = msBeforeNext
    this.consumedPoints = consumedPoints
    this.isFirstInDuration = isFirstInDuration
  }

  get isFirstInDuration(): boolean {
    return this.#isFirst
  }

  set isFirstInDuration(value: boolean) {
    this.#isFirst = Boolean(value)
  }

  toJSON(): Required<IRateLimiterRes> {
    const { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration } = this
    return { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration }
  }

  toString(): string {
    return JSON.stringify(this)
  }
}

// A log shows what an answer says, and nothing of how it is kept.
Object.defineProperty(RateLimiterRes.prototype, inspect.custom, { value: RateLimiterRes.prototype.toJSON })
