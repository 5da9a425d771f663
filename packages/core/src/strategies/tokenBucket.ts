import { checkNames, oneOf } from '../options.ts'
import type { Policy } from '../policy.ts'
import { type BucketOptions, defineBucket, parseBucket } from './bucket.ts'
import { tokenBucketLua } from './lua.generated.ts'

export interface TokenBucketOptions extends BucketOptions {
  /** What an unknown key holds. A bucket that starts empty is filled from its first request on. @default 'full' */
  start?: 'full' | 'empty' | undefined
}

/**
 * A bucket of `capacity` tokens, refilled continuously at `count` per `period`; exact at any rate, without drift.
 * Up to `capacity + rate · window` pass in a window; `gcra` is the same promise with one number a key.
 *
 * @example tokenBucket({ capacity: 50, count: 10, period: '1s' })
 */
export const tokenBucket: (options: TokenBucketOptions) => Policy<'reserve' | 'refund' | 'penalize'> =
  defineBucket<TokenBucketOptions>({
    name: 'tokenBucket',
    code: 'tb',
    lua: tokenBucketLua,
    title: 'token bucket',
    words: ['holds', 'refill'],
    parse(options) {
      checkNames(options, '', ['capacity', 'count', 'period', 'start', 'maxDebt'])
      const start = options.start === undefined ? 'full' : oneOf(options.start, 'start', ['full', 'empty'])
      return parseBucket(options, start === 'empty')
    },
  })
