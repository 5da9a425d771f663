import type { Policy } from '../policy.ts'
import { type BucketOptions, bucketNumbers, bucketOptions, defineBucket } from './bucket.ts'
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
    about: 'A bucket of a capacity, refilled with so many per period.',
    options: {
      ...bucketOptions,
      capacity: { ...bucketOptions.capacity, example: 50 },
      start: {
        kind: 'choice',
        about: 'What an unknown key holds; a bucket that starts empty is filled from its first request on.',
        choices: ['full', 'empty'],
        default: 'full',
      },
    },
    numbers: (read, bad) => bucketNumbers(read, bad, read.start === 'empty'),
  })
