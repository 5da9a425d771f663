import { isOptionError } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import { isRateLimiterLike } from './limiter-like.ts'
import type { IRateLimiterOptions } from './options.ts'
import { RateLimiterAbstract } from './rate-limiter-abstract.ts'
import type { RateLimiterLike } from './verbs.ts'

/** A limiter that another one stands in for while its own store does not answer. */
export class RateLimiterInsuredAbstract extends RateLimiterAbstract {
  #insurance: RateLimiterLike | undefined

  constructor(options: IRateLimiterOptions) {
    super(options)
    this.insuranceLimiter = options.insuranceLimiter
  }

  get insuranceLimiter(): RateLimiterLike | undefined {
    return this.#insurance
  }

  /** The insurance limiter gets this limiter's `blockDuration` and `execEvenly`. */
  set insuranceLimiter(value: RateLimiterLike | undefined) {
    if (value !== undefined && !isRateLimiterLike(value))
      throw optionError('insuranceLimiter', 'a limiter', value)
    this.#insurance = value
    if (value === undefined) return
    value.blockDuration = this.blockDuration
    value.execEvenly = this.execEvenly
  }

  /** The limiter to ask instead. Throws the reason where it is no outage, such as a refusal, or there is no insurance limiter. */
  protected insteadOf(reason: unknown): RateLimiterLike {
    if (this.#insurance === undefined || !(reason instanceof Error) || isOptionError(reason)) throw reason
    return this.#insurance
  }
}
