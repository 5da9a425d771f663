export { BurstyRateLimiter } from './bursty-rate-limiter.ts'
export { RateLimiterEtcdTransactionFailedError } from './etcd-error.ts'
export { RateLimiterCompatibleAbstract } from './limiter-like.ts'
export {
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterClusterMasterPM2,
  RateLimiterDrizzle,
  RateLimiterDrizzleNonAtomic,
  RateLimiterDynamo,
  RateLimiterEtcd,
  RateLimiterEtcdNonAtomic,
  RateLimiterMemcache,
  RateLimiterMongo,
  RateLimiterMySQL,
  RateLimiterPostgres,
  RateLimiterPrisma,
  RateLimiterSQLite,
  RateLimiterValkey,
  RateLimiterValkeyGlide,
} from './not-offered.ts'
export type { IRateLimiterOptions, IRateLimiterRedisOptions, IRateLimiterStoreOptions } from './options.ts'
export { RateLimiterAbstract } from './rate-limiter-abstract.ts'
export { RateLimiterInsuredAbstract } from './rate-limiter-insured-abstract.ts'
export { RateLimiterMemory } from './rate-limiter-memory.ts'
export { type IRateLimiterQueueOpts, RateLimiterQueue } from './rate-limiter-queue.ts'
export { RateLimiterQueueError } from './rate-limiter-queue-error.ts'
export { RateLimiterRedis, RateLimiterRedisNonAtomic } from './rate-limiter-redis.ts'
export { type IRateLimiterRes, RateLimiterRes } from './rate-limiter-res.ts'
export { RateLimiterUnion, type UnionRes } from './rate-limiter-union.ts'
export {
  type IRLWrapperBlackAndWhiteOptions,
  type KeyTest,
  RLWrapperBlackAndWhite,
} from './rl-wrapper-black-and-white.ts'
export { type IRLWrapperTimeoutsOptions, RLWrapperTimeouts } from './rl-wrapper-timeouts.ts'
export type { CallOptions, RateLimiterKey, RateLimiterLike } from './verbs.ts'
