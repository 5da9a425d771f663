import type { Policy } from '../policy.ts'
import type { BlockFor } from './block-for.ts'
import { type BucketOptions, bucketNumbers, bucketOptions, defineBucket } from './bucket.ts'

export interface LeakyBucketOptions extends BucketOptions {}

/**
 * A meter: the level drains at `count` per `period`, and a request that would overflow `capacity` is refused.
 * The token bucket under another name: its level is the number of missing tokens.
 *
 * @example leakyBucket({ capacity: 30, count: 10, period: '1s' })
 */
export const leakyBucket: (
  options: LeakyBucketOptions & BlockFor,
) => Policy<'reserve' | 'refund' | 'penalize' | 'reward'> = defineBucket<LeakyBucketOptions>({
  name: 'leakyBucket',
  code: 'lb',
  options: bucketOptions,
  numbers: (read, bad) => bucketNumbers(read, bad),
})
