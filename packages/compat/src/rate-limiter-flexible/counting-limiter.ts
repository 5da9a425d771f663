import type { Key } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import type { Counted, Counts } from './counts.ts'
import { type IRateLimiterOptions, readPoints, readSeconds, usOf } from './options.ts'
import { pause } from './pause.ts'
import { RateLimiterInsuredAbstract } from './rate-limiter-insured-abstract.ts'
import { RateLimiterRes } from './rate-limiter-res.ts'
import type { CallOptions, RateLimiterKey, Verbs } from './verbs.ts'

/** The verbs over the counts of a store. */
export abstract class CountingLimiter extends RateLimiterInsuredAbstract implements Verbs {
  readonly #counts: Counts

  constructor(options: IRateLimiterOptions, counts: Counts) {
    super(options)
    this.#counts = counts
  }

  async consume(
    key: RateLimiterKey,
    pointsToConsume = 1,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    try {
      return await this.consumed(this.#keyOf(key), pointsToConsume, options)
    } catch (reason) {
      return this.insteadOf(reason).consume(key, pointsToConsume, options)
    }
  }

  async penalty(key: RateLimiterKey, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    try {
      return await this.#add(this.#keyOf(key), readPoints(points), { options, blockSeconds: 0 })
    } catch (reason) {
      return this.insteadOf(reason).penalty(key, points, options)
    }
  }

  async reward(key: RateLimiterKey, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    try {
      return await this.#add(this.#keyOf(key), -readPoints(points), { options, blockSeconds: 0 })
    } catch (reason) {
      return this.insteadOf(reason).reward(key, points, options)
    }
  }

  async get(key: RateLimiterKey, options: CallOptions = {}): Promise<RateLimiterRes | null> {
    try {
      this.mustBeReady()
      const counted = await this.#counts.look(this.#keyOf(key), this.points)
      return counted === null ? null : this.#res(counted, false)
    } catch (reason) {
      return this.insteadOf(reason).get(key, options)
    }
  }

  /** `secDuration` 0: for ever; left out: the limiter's duration. */
  async set(
    key: RateLimiterKey,
    points: number,
    secDuration?: number,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    try {
      const seconds =
        secDuration === undefined || secDuration < 0 ? this.duration : readSeconds(secDuration, 'secDuration')
      return await this.#put(key, readPoints(points), seconds)
    } catch (reason) {
      return this.insteadOf(reason).set(key, points, secDuration, options)
    }
  }

  /** Sets the key's consumed points, for `secDuration` seconds, to as many as block it; 0: for ever. */
  async block(key: RateLimiterKey, secDuration: number, options: CallOptions = {}): Promise<RateLimiterRes> {
    try {
      return await this.#put(key, this.blockAt, readSeconds(secDuration, 'secDuration'))
    } catch (reason) {
      return this.insteadOf(reason).block(key, secDuration, options)
    }
  }

  /** Whether there was anything to delete. */
  async delete(key: RateLimiterKey, options: CallOptions = {}): Promise<boolean> {
    try {
      this.mustBeReady()
      return await this.forget(this.#keyOf(key))
    } catch (reason) {
      return this.insteadOf(reason).delete(key, options)
    }
  }

  /** The count at which a block begins: the first that is more than `points`. */
  protected get blockAt(): number {
    return Math.floor(this.points) + 1
  }

  /** Throws where the store need not even be asked. */
  protected mustBeReady(): void {}

  protected forget(rlKey: Key): Promise<boolean> {
    return this.#counts.forget(rlKey)
  }

  /** Rejects with what a refused call gets. */
  protected async consumed(rlKey: Key, points: number, options: CallOptions): Promise<RateLimiterRes> {
    const about = { options, blockSeconds: this.blockDuration }
    const res = await this.#add(rlKey, readPoints(points), about)
    if (res.consumedPoints > this.points) throw res
    if (this.execEvenly && res.msBeforeNext > 0 && !res.isFirstInDuration) await this.#delay(res)
    return res
  }

  async #delay(res: RateLimiterRes): Promise<void> {
    const evenMs = Math.ceil(res.msBeforeNext / (res.remainingPoints + 2))
    const delayMs =
      evenMs < this.execEvenlyMinDelayMs ? res.consumedPoints * this.execEvenlyMinDelayMs : evenMs
    res.msBeforeNext = Math.max(0, res.msBeforeNext - delayMs)
    await pause(delayMs)
  }

  async #add(
    rlKey: Key,
    units: number,
    { options, blockSeconds }: { options: CallOptions | null; blockSeconds: number },
  ): Promise<RateLimiterRes> {
    this.mustBeReady()
    const customDuration = options?.customDuration
    const isCustom = customDuration !== undefined && customDuration >= 0
    const windowUs = usOf(isCustom ? readSeconds(customDuration, 'customDuration') : this.duration)
    const change = {
      units,
      puts: false,
      limit: this.points,
      windowUs,
      blockUs: usOf(blockSeconds),
      blockAt: this.blockAt,
    }
    const counted = await this.#counts.change(rlKey, change)
    return this.#res(counted, counted.count === units)
  }

  async #put(key: RateLimiterKey, units: number, seconds: number): Promise<RateLimiterRes> {
    this.mustBeReady()
    const change = { units, puts: true, limit: this.points, windowUs: usOf(seconds), blockUs: 0, blockAt: 0 }
    return this.#res(await this.#counts.change(this.#keyOf(key), change), false)
  }

  #res({ count, msLeft }: Counted, isFirst: boolean): RateLimiterRes {
    return new RateLimiterRes(Math.max(this.points - count, 0), msLeft, count, isFirst)
  }

  /** Throws an OptionError for what is no text or number: all callers with a missing user id would share a count. */
  #keyOf(key: RateLimiterKey): Key {
    if (typeof key !== 'string' && typeof key !== 'bigint' && !Number.isFinite(key))
      throw optionError('key', 'a string or a number', key)
    const { keyPrefix } = this
    // A list, so that a client of the limiter `login` that calls itself `fail:bob` is not `bob` of the limiter `login:fail`.
    return keyPrefix === '' || keyPrefix.includes(':') ? [keyPrefix, key] : this.getKey(key)
  }
}
