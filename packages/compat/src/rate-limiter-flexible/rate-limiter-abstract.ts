import { optionError } from '@sluice/core/internal'
import { type IRateLimiterOptions, readSeconds } from './options.ts'

/** The options that every limiter has; they may be changed at any time. */
export class RateLimiterAbstract {
  #points = 0
  #duration = 0
  #blockDuration = 0
  #execEvenly = false
  #keyPrefix = 'rlflx'
  #execEvenlyMinDelayMs: number | undefined

  constructor(options: IRateLimiterOptions) {
    if (typeof options !== 'object' || options === null) {
      throw optionError('options', 'an object such as { points: 5, duration: 60 }', options)
    }
    const { points, duration, blockDuration, execEvenly, keyPrefix } = options
    this.points = points
    this.duration = duration
    this.blockDuration = blockDuration ?? 0
    this.execEvenly = execEvenly ?? false
    this.keyPrefix = keyPrefix ?? 'rlflx'
    this.#execEvenlyMinDelayMs = options.execEvenlyMinDelayMs
  }

  get points(): number {
    return this.#points
  }

  set points(value: number) {
    if (!Number.isFinite(value)) throw optionError('points', 'a number', value)
    this.#points = value
  }

  /** Seconds. */
  get duration(): number {
    return this.#duration
  }

  set duration(value: number) {
    this.#duration = readSeconds(value, 'duration')
  }

  get msDuration(): number {
    return this.#duration * 1000
  }

  /** Seconds. */
  get blockDuration(): number {
    return this.#blockDuration
  }

  set blockDuration(value: number) {
    this.#blockDuration = readSeconds(value, 'blockDuration')
  }

  get msBlockDuration(): number {
    return this.#blockDuration * 1000
  }

  get execEvenly(): boolean {
    return this.#execEvenly
  }

  set execEvenly(value: boolean) {
    this.#execEvenly = Boolean(value)
  }

  /** Milliseconds; unless set, they follow `duration` and `points`. */
  get execEvenlyMinDelayMs(): number {
    return this.#execEvenlyMinDelayMs ?? (this.points > 0 ? Math.ceil(this.msDuration / this.points) : 0)
  }

  set execEvenlyMinDelayMs(value: number) {
    this.#execEvenlyMinDelayMs = value
  }

  get keyPrefix(): string {
    return this.#keyPrefix
  }

  set keyPrefix(value: string) {
    if (typeof value !== 'string') throw optionError('keyPrefix', 'a string', value)
    this.#keyPrefix = value
  }

  /** The key with its prefix, under which the limiter counts it; how a store spells that is the store's own. */
  getKey(key: string | number): string {
    return this.#keyPrefix === '' ? String(key) : `${this.#keyPrefix}:${key}`
  }

  parseKey(rlKey: string): string {
    return this.#keyPrefix === '' ? rlKey : rlKey.slice(this.#keyPrefix.length + 1)
  }
}
