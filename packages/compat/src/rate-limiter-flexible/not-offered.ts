import { optionError } from '@sluice/core/internal'

/** The compiler shows this where such a class is made. */
type NotOffered =
  'This class is not offered here: see https://github.com/sluicejs/sluice/blob/main/docs/moving/rate-limiter-flexible.md#what-is-not-offered'
type NotOfferedClass = new (options: NotOffered, ...more: unknown[]) => never

/** A class of rate-limiter-flexible whose construction says what to use instead. */
function notOffered(name: string): NotOfferedClass {
  return class {
    constructor(options: unknown) {
      const expected =
        'RateLimiterMemory, RateLimiterRedis (its storeClient may be any store of Sluice), or this class of rate-limiter-flexible itself (https://github.com/sluicejs/sluice/blob/main/docs/moving/rate-limiter-flexible.md#what-is-not-offered)'
      throw optionError(name, expected, options)
    }
  } as NotOfferedClass // it never makes anything
}

export const RateLimiterCluster: NotOfferedClass = notOffered('RateLimiterCluster')
export const RateLimiterClusterMaster: NotOfferedClass = notOffered('RateLimiterClusterMaster')
export const RateLimiterClusterMasterPM2: NotOfferedClass = notOffered('RateLimiterClusterMasterPM2')
export const RateLimiterDrizzle: NotOfferedClass = notOffered('RateLimiterDrizzle')
export const RateLimiterDrizzleNonAtomic: NotOfferedClass = notOffered('RateLimiterDrizzleNonAtomic')
export const RateLimiterDynamo: NotOfferedClass = notOffered('RateLimiterDynamo')
export const RateLimiterEtcd: NotOfferedClass = notOffered('RateLimiterEtcd')
export const RateLimiterEtcdNonAtomic: NotOfferedClass = notOffered('RateLimiterEtcdNonAtomic')
export const RateLimiterMemcache: NotOfferedClass = notOffered('RateLimiterMemcache')
export const RateLimiterMongo: NotOfferedClass = notOffered('RateLimiterMongo')
export const RateLimiterMySQL: NotOfferedClass = notOffered('RateLimiterMySQL')
export const RateLimiterPostgres: NotOfferedClass = notOffered('RateLimiterPostgres')
export const RateLimiterPrisma: NotOfferedClass = notOffered('RateLimiterPrisma')
export const RateLimiterSQLite: NotOfferedClass = notOffered('RateLimiterSQLite')
export const RateLimiterValkey: NotOfferedClass = notOffered('RateLimiterValkey')
export const RateLimiterValkeyGlide: NotOfferedClass = notOffered('RateLimiterValkeyGlide')
