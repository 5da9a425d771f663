// Node reads these names before it runs the file: an import of one that it does not find would only be a SyntaxError.
exports.DAY = undefined
exports.HOUR = undefined
exports.MINUTE = undefined
exports.MemoryStore = undefined
exports.SECOND = undefined
exports.SluiceStore = undefined
exports.ipKeyGenerator = undefined
exports.rateLimit = undefined
exports.fastifyRateLimit = undefined
exports.normalizeIP = undefined
exports.ratelimit = undefined
exports.BurstyRateLimiter = undefined
exports.RLWrapperBlackAndWhite = undefined
exports.RLWrapperTimeouts = undefined
exports.RateLimiterAbstract = undefined
exports.RateLimiterCluster = undefined
exports.RateLimiterClusterMaster = undefined
exports.RateLimiterClusterMasterPM2 = undefined
exports.RateLimiterCompatibleAbstract = undefined
exports.RateLimiterDrizzle = undefined
exports.RateLimiterDrizzleNonAtomic = undefined
exports.RateLimiterDynamo = undefined
exports.RateLimiterEtcd = undefined
exports.RateLimiterEtcdNonAtomic = undefined
exports.RateLimiterEtcdTransactionFailedError = undefined
exports.RateLimiterInsuredAbstract = undefined
exports.RateLimiterMemcache = undefined
exports.RateLimiterMemory = undefined
exports.RateLimiterMongo = undefined
exports.RateLimiterMySQL = undefined
exports.RateLimiterPostgres = undefined
exports.RateLimiterPrisma = undefined
exports.RateLimiterQueue = undefined
exports.RateLimiterQueueError = undefined
exports.RateLimiterRedis = undefined
exports.RateLimiterRedisNonAtomic = undefined
exports.RateLimiterRes = undefined
exports.RateLimiterSQLite = undefined
exports.RateLimiterUnion = undefined
exports.RateLimiterValkey = undefined
exports.RateLimiterValkeyGlide = undefined

throw new Error(
  "@sluice/compat is imported by the library that it stands for: write '@sluice/compat/express-rate-limit', '@sluice/compat/fastify-rate-limit', '@sluice/compat/koa-ratelimit' or '@sluice/compat/rate-limiter-flexible' in place of '@sluice/compat'",
)
