import { optionError, storeError } from '@sluice/core/internal'
import { isRateLimiterLike } from './limiter-like.ts'
import { checkLimiterNames } from './option-names.ts'
import type { IRateLimiterOptions } from './options.ts'
import { RateLimiterInsuredAbstract } from './rate-limiter-insured-abstract.ts'
import type { RateLimiterRes } from './rate-limiter-res.ts'
import type { CallOptions, RateLimiterKey, RateLimiterLike, Verbs } from './verbs.ts'

export interface IRLWrapperTimeoutsOptions extends Omit<IRateLimiterOptions, 'points' | 'duration'> {
  limiter: RateLimiterLike
  /** How long a call may take, in milliseconds. @default 0 */
  timeoutMs?: number | undefined
}

/** Rejects, or asks the insurance limiter, where a limiter takes too long: any limiter, a wrapper too. */
export class RLWrapperTimeouts extends RateLimiterInsuredAbstract implements Verbs {
  #limiter: RateLimiterLike
  #timeoutMs = 0

  constructor({ limiter, timeoutMs = 0, ...options }: IRLWrapperTimeoutsOptions) {
    checkLimiterNames(options)
    super({ ...options, points: 0, duration: 0 })
    this.#limiter = limiter
    this.limiter = limiter
    this.timeoutMs = timeoutMs
  }

  get limiter(): RateLimiterLike {
    return this.#limiter
  }

  /** Takes over the limiter's own insurance limiter, where this one has none. */
  set limiter(limiter: RateLimiterLike) {
    if (!isRateLimiterLike(limiter)) throw optionError('limiter', 'a limiter', limiter)
    this.#limiter = limiter
    if (limiter instanceof RateLimiterInsuredAbstract) this.insuranceLimiter ??= limiter.insuranceLimiter
  }

  get timeoutMs(): number {
    return this.#timeoutMs
  }

  set timeoutMs(value: number) {
    if (!(Number.isFinite(value) && value >= 0)) throw optionError('timeoutMs', 'milliseconds', value)
    this.#timeoutMs = value
  }

  async consume(key: RateLimiterKey, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    try {
      return await this.#within('consume', this.#limiter.consume(key, points, options))
    } catch (reason) {
      return this.insteadOf(reason).consume(key, points, options)
    }
  }

  async penalty(key: RateLimiterKey, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    try {
      return await this.#within('penalty', this.#limiter.penalty(key, points, options))
    } catch (reason) {
      return this.insteadOf(reason).penalty(key, points, options)
    }
  }

  async reward(key: RateLimiterKey, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    try {
      return await this.#within('reward', this.#limiter.reward(key, points, options))
    } catch (reason) {
      return this.insteadOf(reason).reward(key, points, options)
    }
  }

  async get(key: RateLimiterKey, options: CallOptions = {}): Promise<RateLimiterRes | null> {
    try {
      return await this.#within('get', this.#limiter.get(key, options))
    } catch (reason) {
      return this.insteadOf(reason).get(key, options)
    }
  }

  async set(
    key: RateLimiterKey,
    points: number,
    secDuration?: number,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    try {
      return await this.#within('set', this.#limiter.set(key, points, secDuration, options))
    } catch (reason) {
      return this.insteadOf(reason).set(key, points, secDuration, options)
    }
  }

  async block(key: RateLimiterKey, secDuration: number, options: CallOptions = {}): Promise<RateLimiterRes> {
    try {
      return await this.#within('block', this.#limiter.block(key, secDuration, options))
    } catch (reason) {
      return this.insteadOf(reason).block(key, secDuration, options)
    }
  }

  async delete(key: RateLimiterKey, options: CallOptions = {}): Promise<boolean> {
    try {
      return await this.#within('delete', this.#limiter.delete(key, options))
    } catch (reason) {
      return this.insteadOf(reason).delete(key, options)
    }
  }

  async #within<T>(verb: string, answer: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      const error = () => storeError('limiter', `${verb}: no answer within ${this.#timeoutMs} ms`)
      timer = setTimeout(() => reject(error()), this.#timeoutMs)
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
