import { type Key, redisStore, type Store } from '@sluice/core'
import { optionError, storeError, stores } from '@sluice/core/internal'
import { CountingLimiter } from './counting-limiter.ts'
import { countsOf } from './counts.ts'
import { MemoryBlocks } from './memory-blocks.ts'
import { checkLimiterNames, refuseUnsupported } from './option-names.ts'
import { type IRateLimiterRedisOptions, readSeconds } from './options.ts'
import { RateLimiterRes } from './rate-limiter-res.ts'
import type { CallOptions } from './verbs.ts'

/** Counts in Redis, or in any other store of Sluice, each call in one atomic step. */
export class RateLimiterRedis extends CountingLimiter {
  readonly client: IRateLimiterRedisOptions['storeClient']
  readonly #rejectsAtOnce: boolean
  readonly #blocks: MemoryBlocks = new MemoryBlocks()
  #blockOnConsumed = 0
  #inMemoryBlockOnConsumed = 0
  #inMemoryBlockDuration = 0

  constructor(options: IRateLimiterRedisOptions) {
    checkLimiterNames(options)
    refuseUnsupported(options)
    super(options, countsOf(storeOf(options.storeClient)))
    this.client = options.storeClient
    this.#rejectsAtOnce = options.rejectIfRedisNotReady === true
    this.blockOnConsumed = options.blockOnConsumed ?? 0
    this.inMemoryBlockOnConsumed = options.inMemoryBlockOnConsumed ?? 0
    this.inMemoryBlockDuration = options.inMemoryBlockDuration ?? 0
  }

  /** From this many consumed points on a key is blocked for `blockDuration`; 0: from the first beyond `points`. */
  get blockOnConsumed(): number {
    return this.#blockOnConsumed
  }

  set blockOnConsumed(value: number) {
    this.#blockOnConsumed = this.#noLessThanPoints(value, 'blockOnConsumed')
  }

  protected override get blockAt(): number {
    return this.#blockOnConsumed > this.points ? this.#blockOnConsumed : super.blockAt
  }

  get inMemoryBlockOnConsumed(): number {
    return this.#inMemoryBlockOnConsumed
  }

  set inMemoryBlockOnConsumed(value: number) {
    this.#inMemoryBlockOnConsumed = this.#noLessThanPoints(value, 'inMemoryBlockOnConsumed')
  }

  #noLessThanPoints(value: number, name: string): number {
    if (Number.isFinite(value) && (value === 0 || value >= this.points)) return value
    throw optionError(name, 'a number of at least `points`', value)
  }

  /** Seconds. */
  get inMemoryBlockDuration(): number {
    return this.#inMemoryBlockDuration
  }

  set inMemoryBlockDuration(value: number) {
    if (value !== 0 && this.#inMemoryBlockOnConsumed === 0) {
      throw optionError('inMemoryBlockDuration', 'nothing without inMemoryBlockOnConsumed', value)
    }
    this.#inMemoryBlockDuration = readSeconds(value, 'inMemoryBlockDuration')
  }

  get msInMemoryBlockDuration(): number {
    return this.#inMemoryBlockDuration * 1000
  }

  deleteInMemoryBlockedAll(): void {
    this.#blocks.deleteAll()
  }

  protected override async consumed(
    rlKey: Key,
    points: number,
    options: CallOptions,
  ): Promise<RateLimiterRes> {
    if (this.#inMemoryBlockOnConsumed === 0) return super.consumed(rlKey, points, options)
    const blockedMs = await this.#blocks.msLeft(rlKey)
    if (blockedMs > 0) throw new RateLimiterRes(0, blockedMs)
    return this.#consumedAndBlocked(rlKey, points, options)
  }

  async #consumedAndBlocked(rlKey: Key, points: number, options: CallOptions): Promise<RateLimiterRes> {
    let res: RateLimiterRes
    try {
      res = await super.consumed(rlKey, points, options)
    } catch (reason) {
      if (reason instanceof RateLimiterRes) await this.#block(rlKey, reason, true)
      throw reason
    }
    await this.#block(rlKey, res, false)
    return res
  }

  /**
   * Blocks a key in this process. A block with a duration of its own begins with a refusal; one that ends with the key's duration begins
   * with the last point.
   */
  async #block(rlKey: Key, res: RateLimiterRes, refused: boolean): Promise<void> {
    if (res.consumedPoints < this.#inMemoryBlockOnConsumed) return
    const { msBeforeNext } = res
    if (this.#inMemoryBlockDuration === 0) {
      // A key without an end is asked for each time: what another process gives back would never be heard of.
      if (msBeforeNext >= 0) await this.#blocks.add(rlKey, msBeforeNext)
      return
    }
    if (!refused) return
    await this.#blocks.add(rlKey, this.msInMemoryBlockDuration)
    res.msBeforeNext = this.msInMemoryBlockDuration
  }

  protected override async forget(rlKey: Key): Promise<boolean> {
    const known = await super.forget(rlKey)
    await this.#blocks.delete(rlKey)
    return known
  }

  protected override mustBeReady(): void {
    if (this.#rejectsAtOnce && !isReady(this.client)) {
      throw storeError('redis', 'rate-limiter-flexible: the client is not connected')
    }
  }
}

/** The same limiter as RateLimiterRedis, as each call is atomic here. */
export class RateLimiterRedisNonAtomic extends RateLimiterRedis {}

function storeOf(client: IRateLimiterRedisOptions['storeClient']): Store {
  if (typeof client === 'object' && client !== null) {
    if (stores.isStore(client, 'storeClient')) return client
    // The package redis has `withTypeMapping` from version 5 on.
    if ('evalsha' in client || 'withTypeMapping' in client) return redisStore(client)
  }
  const expected = 'a client of ioredis 5 or 6, of the package redis 5 or 6, or a store of Sluice'
  throw optionError('storeClient', expected, client)
}

/** Whether the client is connected. A cluster's client says it in neither way: there the deadline decides. */
function isReady(client: object): boolean {
  if ('status' in client) return client.status === 'ready'
  if ('isReady' in client) return client.isReady === true
  return !('isOpen' in client) || client.isOpen === true
}
