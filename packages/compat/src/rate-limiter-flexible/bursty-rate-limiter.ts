import { type Asked, readAsked } from './limiter-like.ts'
import { RateLimiterRes } from './rate-limiter-res.ts'
import type { CallOptions, RateLimiterKey } from './verbs.ts'

/** A limiter, and another one that admits bursts beyond it. */
export class BurstyRateLimiter {
  readonly #limiter: Asked
  readonly #burst: Asked

  constructor(rateLimiter: Asked, burstLimiter: Asked) {
    this.#limiter = readAsked(rateLimiter, 'rateLimiter')
    this.#burst = readAsked(burstLimiter, 'burstLimiter')
  }

  get points(): number | undefined {
    return this.#limiter.points
  }

  /** Answers with the first limiter's points, and with the shorter of the two times. */
  async consume(
    key: RateLimiterKey,
    pointsToConsume = 1,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    try {
      return await this.#limiter.consume(key, pointsToConsume, options)
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal
      return this.#burstBeyond(refusal as RateLimiterRes, { key, pointsToConsume, options }) // limiters reject with nothing else
    }
  }

  async #burstBeyond(
    refusal: RateLimiterRes,
    { key, pointsToConsume, options }: { key: RateLimiterKey; pointsToConsume: number; options: CallOptions },
  ): Promise<RateLimiterRes> {
    try {
      return combined(refusal, await this.#burst.consume(key, pointsToConsume, options))
    } catch (reason) {
      if (reason instanceof Error) throw reason
      throw combined(refusal, reason as RateLimiterRes) // limiters reject with nothing else
    }
  }

  async get(key: RateLimiterKey): Promise<RateLimiterRes | null> {
    const [res, burst] = await Promise.all([this.#limiter.get(key), this.#burst.get(key)])
    return res === null ? null : combined(res, burst)
  }
}

function combined(res: RateLimiterRes, burst: RateLimiterRes | null): RateLimiterRes {
  const msBeforeNext = sooner(res.msBeforeNext, burst?.msBeforeNext ?? 0)
  return new RateLimiterRes(res.remainingPoints, msBeforeNext, res.consumedPoints, res.isFirstInDuration)
}

/** The shorter of two times. -1 is never: the answer only where both are. */
function sooner(ms: number, otherMs: number): number {
  if (ms < 0 || otherMs < 0) return Math.max(ms, otherMs)
  return Math.min(ms, otherMs)
}
