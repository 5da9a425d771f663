import type { RateLimiterRes } from './rate-limiter-res.ts'

export type RateLimiterKey = string | number

/** Options of one call. */
export interface CallOptions {
  /** Seconds, in place of `duration` where the call begins a window; 0: it never ends. */
  readonly customDuration?: number | undefined
  readonly [name: string]: unknown
}

/** The methods that every limiter and every wrapper has. */
export interface Verbs {
  consume(key: RateLimiterKey, pointsToConsume?: number, options?: CallOptions): Promise<RateLimiterRes>
  penalty(key: RateLimiterKey, points?: number, options?: CallOptions): Promise<RateLimiterRes>
  reward(key: RateLimiterKey, points?: number, options?: CallOptions): Promise<RateLimiterRes>
  get(key: RateLimiterKey, options?: CallOptions): Promise<RateLimiterRes | null>
  set(
    key: RateLimiterKey,
    points: number,
    secDuration?: number,
    options?: CallOptions,
  ): Promise<RateLimiterRes>
  block(key: RateLimiterKey, secDuration: number, options?: CallOptions): Promise<RateLimiterRes>
  delete(key: RateLimiterKey, options?: CallOptions): Promise<boolean>
}

/** A limiter or a wrapper: of this package, of rate-limiter-flexible itself, or of your own. */
export interface RateLimiterLike extends Verbs {
  readonly keyPrefix: string
  blockDuration: number
  execEvenly: boolean
}
