import type { Logger, RedisClient } from '@sluice/core'
import { type Operations, operations } from '@sluice/operations'

/** What `sluice top`, `sluice block` and `sluice deny` need: where the counts are in Redis, otherwise nothing. */
export function openOperations(redis: RedisClient | undefined, logger: Logger): readonly Operations[] {
  return redis === undefined ? [] : [operations({ redis, service: 'zoo', logger })]
}
