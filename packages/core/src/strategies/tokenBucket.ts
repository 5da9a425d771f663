import type { Policy } from '../policy.ts'
import type { BlockFor } from './block-for.ts'
import {
  type BucketOptions,
  bucketCapacity,
  bucketCount,
  bucketNumbers,
  bucketPeriod,
  defineBucket,
} from './bucket.ts'
import { like, maxDebt } from './common-options.ts'
import type { Fractions } from './unit.ts'

export interface TokenBucketOptions extends BucketOptions {
  /** Whether a new key's bucket is full or empty. An empty one fills from its first request on. @default 'full' */
  start?: 'full' | 'empty' | undefined
}

/**
 * A bucket of `capacity` tokens, refilled continuously at `count` per `period`; exact at any rate, without drift.
 * Up to `capacity + rate · window` pass in a window; `gcra` makes the same promise with one number per key.
 *
 * @example tokenBucket({ capacity: 50, count: 10, period: '1s' })
 */
export const tokenBucket: (
  options: TokenBucketOptions & BlockFor & Fractions,
) => Policy<'reserve' | 'refund' | 'penalize' | 'reward'> = defineBucket<TokenBucketOptions>({
  name: 'tokenBucket',
  code: 'tb',
  options: {
    capacity: like(bucketCapacity, { example: 50 }),
    count: bucketCount,
    period: bucketPeriod,
    maxDebt,
    start: { kind: 'choice', choices: ['full', 'empty'], default: 'full' },
  },
  numbers: (read, bad) => bucketNumbers(read, bad, read.start === 'empty'),
})
