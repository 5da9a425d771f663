import { checkNames, optionalFunction, optionError } from '@sluice/core/internal'
import { isRateLimiterLike, RateLimiterCompatibleAbstract } from './limiter-like.ts'
import { RateLimiterRes } from './rate-limiter-res.ts'
import type { CallOptions, RateLimiterKey, RateLimiterLike } from './verbs.ts'

/** Whether a key is in a list; an answer may be a promise. */
// biome-ignore lint/suspicious/noExplicitAny: as in rate-limiter-flexible, so that a test of texts alone is one
export type KeyTest = (key: any) => boolean | Promise<boolean>

export interface IRLWrapperBlackAndWhiteOptions {
  limiter: RateLimiterLike
  /** Keys that are always refused. @default none */
  blackList?: readonly RateLimiterKey[] | undefined
  /** Keys that are always allowed, also those of `blackList`. @default none */
  whiteList?: readonly RateLimiterKey[] | undefined
  isBlackListed?: KeyTest | undefined
  isWhiteListed?: KeyTest | undefined
  /** Asks the limiter all the same, and answers as the lists say. @default false */
  runActionAnyway?: boolean | undefined
}

const optionNames: readonly (keyof IRLWrapperBlackAndWhiteOptions)[] = [
  'limiter',
  'blackList',
  'whiteList',
  'isBlackListed',
  'isWhiteListed',
  'runActionAnyway',
]

function readTest(test: KeyTest | undefined, path: string): KeyTest {
  optionalFunction(test, path)
  return test ?? (() => false)
}

/** A text has an `includes`, too, which would find keys that are only a part of it. */
function readKeys(keys: unknown, path: string): readonly RateLimiterKey[] {
  if (Array.isArray(keys)) return keys
  throw optionError(path, 'a list of keys', keys)
}

/** Refuses some keys and allows others, whatever a limiter says. */
export class RLWrapperBlackAndWhite extends RateLimiterCompatibleAbstract {
  limiter: RateLimiterLike
  blackList: readonly RateLimiterKey[]
  whiteList: readonly RateLimiterKey[]
  isBlackListed: KeyTest
  isWhiteListed: KeyTest
  runActionAnyway: boolean

  constructor(options: IRLWrapperBlackAndWhiteOptions) {
    super()
    checkNames(options, '', optionNames)
    const { limiter, blackList = [], whiteList = [], runActionAnyway = false } = options
    if (!isRateLimiterLike(limiter)) throw optionError('limiter', 'a limiter', limiter)
    this.limiter = limiter
    this.blackList = readKeys(blackList, 'blackList')
    this.whiteList = readKeys(whiteList, 'whiteList')
    this.isBlackListed = readTest(options.isBlackListed, 'isBlackListed')
    this.isWhiteListed = readTest(options.isWhiteListed, 'isWhiteListed')
    this.runActionAnyway = runActionAnyway
  }

  override get keyPrefix(): string {
    return this.limiter.keyPrefix
  }

  override get blockDuration(): number {
    return this.limiter.blockDuration
  }

  override set blockDuration(seconds: number) {
    this.limiter.blockDuration = seconds
  }

  override get execEvenly(): boolean {
    return this.limiter.execEvenly
  }

  override set execEvenly(evenly: boolean) {
    this.limiter.execEvenly = evenly
  }

  override async consume(
    key: RateLimiterKey,
    points = 1,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    const listed = await this.#listed(key)
    if (listed === undefined) return this.limiter.consume(key, points, options)
    this.#askAnyway(() => this.limiter.consume(key, points, options))
    if (listed === 'black') throw resOf(listed)
    return resOf(listed)
  }

  override penalty(key: RateLimiterKey, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    return this.#unlessListed(key, () => this.limiter.penalty(key, points, options))
  }

  override reward(key: RateLimiterKey, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    return this.#unlessListed(key, () => this.limiter.reward(key, points, options))
  }

  override async get(key: RateLimiterKey, options: CallOptions = {}): Promise<RateLimiterRes | null> {
    if (this.runActionAnyway) return this.limiter.get(key, options)
    return this.#unlessListed(key, () => this.limiter.get(key, options))
  }

  override set(
    key: RateLimiterKey,
    points: number,
    secDuration?: number,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    return this.#unlessListed(key, () => this.limiter.set(key, points, secDuration, options))
  }

  override block(
    key: RateLimiterKey,
    secDuration: number,
    options: CallOptions = {},
  ): Promise<RateLimiterRes> {
    return this.#unlessListed(key, () => this.limiter.block(key, secDuration, options))
  }

  override delete(key: RateLimiterKey, options: CallOptions = {}): Promise<boolean> {
    return this.limiter.delete(key, options)
  }

  async #unlessListed<T>(key: RateLimiterKey, ask: () => Promise<T>): Promise<T | RateLimiterRes> {
    const listed = await this.#listed(key)
    if (listed === undefined) return ask()
    this.#askAnyway(ask)
    return resOf(listed)
  }

  /** A store that does not answer changes nothing for a key that is listed. */
  #askAnyway(ask: () => Promise<unknown>): void {
    if (this.runActionAnyway) ask().catch(() => {})
  }

  async #listed(key: RateLimiterKey): Promise<'white' | 'black' | undefined> {
    if (this.whiteList.includes(key) || (await this.isWhiteListed(key))) return 'white'
    if (this.blackList.includes(key) || (await this.isBlackListed(key))) return 'black'
    return undefined
  }
}

function resOf(listed: 'white' | 'black'): RateLimiterRes {
  const most = Number.MAX_SAFE_INTEGER
  return listed === 'white' ? new RateLimiterRes(most, 0) : new RateLimiterRes(0, most)
}
