export interface IRateLimiterRes {
  msBeforeNext?: number
  remainingPoints?: number
  consumedPoints?: number
  isFirstInDuration?: boolean
}

/**
 * What a limiter resolves with, and what it rejects with where it refuses: it is no Error. It has no private member: with one, the
 * compiler would not accept an answer of rate-limiter-flexible itself as one.
 */
export class RateLimiterRes {
  remainingPoints: number
  /** Milliseconds until the points are reset or the block is over; -1: never. */
  msBeforeNext: number
  /** Refused points are counted, too. */
  consumedPoints: number
  isFirstInDuration: boolean

  constructor(remainingPoints = 0, msBeforeNext = 0, consumedPoints = 0, isFirstInDuration = false) {
    this.remainingPoints = remainingPoints
    this.msBeforeNext = msBeforeNext
    this.consumedPoints = consumedPoints
    this.isFirstInDuration = Boolean(isFirstInDuration)
  }

  toJSON(): Required<IRateLimiterRes> {
    const { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration } = this
    return { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration }
  }

  toString(): string {
    return JSON.stringify(this)
  }
}
