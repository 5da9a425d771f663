import type { IoredisLike, NodeRedisLike, Store } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import type { RateLimiterLike } from './verbs.ts'

export interface IRateLimiterOptions {
  /** Points that a key may consume in `duration`. */
  points: number
  /** Seconds from a key's first point on; 0: its points are never reset. */
  duration: number
  /** Begins the names of keys; limiters of one `keyPrefix` on one store share counts. @default 'rlflx' */
  keyPrefix?: string | undefined
  /** Seconds for which a key is refused from the first time on that it exceeds `points`; 0: until its duration is over. @default 0 */
  blockDuration?: number | undefined
  /** Delays what is allowed, so that it is spread over the duration. @default false */
  execEvenly?: boolean | undefined
  /** The least such delay, in milliseconds. @default duration * 1000 / points, rounded up */
  execEvenlyMinDelayMs?: number | undefined
  /** Is asked while the store does not answer. @default none: calls reject with a StoreError */
  insuranceLimiter?: RateLimiterLike | undefined
}

export interface IRateLimiterStoreOptions extends IRateLimiterOptions {
  /** A client of ioredis or node-redis, or a store of Sluice. */
  storeClient: IoredisLike | NodeRedisLike | Store
  /** From this many consumed points on a key is blocked for `blockDuration`; at least `points`. @default 0: from the first beyond `points` */
  blockOnConsumed?: number | undefined
  /** From this many consumed points on a key is refused in this process without asking the store; 0: never. @default 0 */
  inMemoryBlockOnConsumed?: number | undefined
  /** Seconds for which it is refused there; 0: until the key's duration is over. @default 0 */
  inMemoryBlockDuration?: number | undefined
}

export interface IRateLimiterRedisOptions extends IRateLimiterStoreOptions {
  /** Rejects at once while the client says that it is not connected. @default false: after the store's deadline, 100 ms */
  rejectIfRedisNotReady?: boolean | undefined
  /** Not needed: the client is recognised. */
  useRedisPackage?: boolean | undefined
}

/** Seconds of at least 0. */
export function readSeconds(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw optionError(path, 'a number of seconds of at least 0', value)
}

/** How many points a call is about; texts of digits are numbers, too. */
export function readPoints(value: unknown): number {
  const points = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof points === 'number' && Number.isSafeInteger(points)) return points
  throw optionError('points', 'a whole number', value)
}

/** In microseconds: 0, which is for ever, stays 0, and all else is at least 1. */
export function usOf(seconds: number): number {
  return seconds === 0 ? 0 : Math.max(1, Math.min(Math.round(seconds * 1e6), Number.MAX_SAFE_INTEGER))
}
