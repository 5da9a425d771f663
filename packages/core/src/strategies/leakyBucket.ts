import { checkNames } from '../options.ts'
import type { Policy } from '../policy.ts'
import { type BucketOptions, defineBucket, parseBucket } from './bucket.ts'
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
    parse(options) {
      checkNames(options, '', ['capacity', 'count', 'period', 'maxDebt'])
      return parseBucket(options, false)
    },
  })
