import type { Policy } from '../policy.ts'
import { type BucketOptions, bucketNumbers, bucketOptions, defineBucket } from './bucket.ts'
import { leakyBucketLua } from './lua.generated.ts'

export interface LeakyBucketOptions extends BucketOptions {}

/**
 * A meter: the level drains at `count` per `period`, and a request that would overflow `capacity` is refused.
 * The token bucket in other words: its level is what is missing from the tokens.
 *
 * @example leakyBucket({ capacity: 30, count: 10, period: '1s' })
 */
export const leakyBucket: (options: LeakyBucketOptions) => Policy<'reserve' | 'refund' | 'penalize'> =
  defineBucket<LeakyBucketOptions>({
    name: 'leakyBucket',
    code: 'lb',
    lua: leakyBucketLua,
    title: 'leaky bucket',
    words: ['room for', 'drain'],
    about: 'A bucket of a capacity that drains so many per period.',
    options: bucketOptions,
    numbers: (read, bad) => bucketNumbers(read, bad),
  })
