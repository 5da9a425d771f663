const face = '@sluice/compat/rate-limiter-flexible'
const lib = (name, file = name) => [`lib/${file}.js`, `module.exports = require('${face}').${name}\n`]

/**
 * A store of one's own is a store of Sluice here, so this is in the place of their base class for such stores: a limiter over a
 * store of Sluice that fails where a test makes one of that class's methods fail.
 */
const storeAbstract = `
const { stateStore } = require('@sluice/core')
const { RateLimiterRedis } = require('${face}')
module.exports = class RateLimiterStoreAbstract extends RateLimiterRedis {
  constructor(options) {
    const states = new Map()
    let limiter
    const transact = async (keys, change) => {
      if (limiter) await Promise.all([limiter._upsert('?', 0, 0), limiter._get('?'), limiter._delete('?')])
      const { result, writes } = change(keys.map((key) => states.get(key) ?? null), Date.now() * 1000)
      for (const { key, state } of writes) state === null ? states.delete(key) : states.set(key, state)
      return result
    }
    super({ ...options, storeClient: stateStore({ name: 'own', transact }) })
    limiter = this
  }
}
`

/** Their helper, by what takes only limiters. */
const isLimiter = `
const { RateLimiterUnion } = require('${face}')
module.exports = (value) => {
  try {
    return new RateLimiterUnion(value) !== undefined
  } catch {
    return false
  }
}
`

/** By why they cannot pass. */
const cannot = {
  'holds the words of an error; ours are others, with a code': [
    'RLWrapperTimeouts should timeout operations should timeout consume operation',
    'RLWrapperTimeouts should timeout operations should timeout get operation',
    'RLWrapperTimeouts should timeout operations should timeout penalty operation',
    'RLWrapperTimeouts should timeout operations should timeout reward operation',
    'RLWrapperTimeouts should timeout operations should timeout set operation',
    'RLWrapperTimeouts should timeout operations should timeout block operation',
    'RLWrapperTimeouts should timeout operations should timeout delete operation',
    'RLWrapperTimeouts should use insurance limiter on timeout should reject if no insurance limiter on timeout',
    'RateLimiterAbstract throws error if points is not set',
    'RateLimiterAbstract throws error if points is null',
    'RateLimiterAbstract throws error if points is a string',
    'RateLimiterAbstract throws error if points is an object',
    'RateLimiterAbstract throws error if points is a boolean',
    'RateLimiterAbstract throws error if duration is not set',
    'RateLimiterAbstract throws error if duration is negative',
    'RateLimiterAbstract throws error if duration is null',
    'RateLimiterAbstract throws error if duration is a string',
    'RateLimiterAbstract throws error if duration is an object',
    'RateLimiterInsuredAbstract - Backward Compatibility Tests Without insuranceLimiter consume should reject with error when store fails',
    'RateLimiterInsuredAbstract - Backward Compatibility Tests Without insuranceLimiter penalty should reject with error when store fails',
    'RateLimiterInsuredAbstract - Backward Compatibility Tests Without insuranceLimiter reward should reject with error when store fails',
    'RateLimiterInsuredAbstract - Backward Compatibility Tests Without insuranceLimiter get should reject with error when store fails',
    'RateLimiterInsuredAbstract - Backward Compatibility Tests Without insuranceLimiter delete should reject with error when store fails',
    'RateLimiterInsuredAbstract - Backward Compatibility Tests Without insuranceLimiter block should reject with error when store fails',
    'RateLimiterInsuredAbstract - Backward Compatibility Tests Without insuranceLimiter set should reject with error when store fails',
    'RateLimiterRedis with fixed window when points are passed as decimal numbers thows error',
    'RateLimiterRedis with fixed window when passing points as string with decimal values throws error',
    'RateLimiterRedis with fixed window disconnected redis client attempt to invoke redis if rejectIfRedisNotReady is not set',
    'node-redis with fixed window disconnected redis client attempt to invoke redis if rejectIfRedisNotReady is not set',
  ],
  'reads or replaces what is inside a limiter of theirs': [
    'RateLimiterCompatibleAbstract RLWrapperBlackAndWhite in RateLimiterUnion should accept RLWrapperBlackAndWhite in union',
    'RateLimiterMemory with fixed window consume 1 point',
    'RateLimiterMemory with fixed window makes penalty',
    'RateLimiterMemory with fixed window reward points',
    'RateLimiterMemory with fixed window consume should start new time window if previous already expired (msBeforeNext is negative)',
    'RateLimiterRedis with fixed window block key in memory for msBeforeNext milliseconds',
    'RateLimiterRedis with fixed window reject after block key in memory for msBeforeNext, if consumed more than points',
    'RateLimiterRedis with fixed window reject with error, if internal block by blockDuration failed',
    'node-redis with fixed window block key in memory for msBeforeNext milliseconds',
    'node-redis with fixed window reject after block key in memory for msBeforeNext, if consumed more than points',
    'node-redis with fixed window reject with error, if internal block by blockDuration failed',
  ],
  'reads their keys in Redis; ours have other names and values': [
    'RateLimiterRedis with fixed window consume 1 point',
    'RateLimiterRedis with fixed window makes penalty',
    'RateLimiterRedis with fixed window reward points',
    'RateLimiterRedis with fixed window penalty using insuranceLimiter when RedisClient error',
    'RateLimiterRedis with fixed window reward using insuranceLimiter when RedisClient error',
    'RateLimiterRedis with fixed window set using insuranceLimiter when RedisClient error',
    'RateLimiterRedis with fixed window when passing points as float without decimal values does not throw an error',
    'RateLimiterRedis with fixed window when passing points as string without decimal values does not throw an error',
    'node-redis with fixed window consume 1 point',
    'node-redis with fixed window makes penalty',
    'node-redis with fixed window reward points',
    'node-redis with fixed window penalty using insuranceLimiter when RedisClient error',
    'node-redis with fixed window reward using insuranceLimiter when RedisClient error',
    'node-redis with fixed window when resetting maximum points consume 2 points',
    'node-redis with fixed window when calling penalty multiple times does not fail',
    'node-redis with fixed window when calling reward multiple times does not fail',
    'RateLimiterRedisNonAtomic with fixed window consume 1 point',
    'RateLimiterRedisNonAtomic with fixed window sets expire when existing key has no ttl',
  ],
  "a script of the user's own: an OptionError here": [
    'RateLimiterRedis with fixed window when customIncrTtlLuaScript is provided rejected when consume more than maximum points and multiply delay',
    'RateLimiterRedis with fixed window when customIncrTtlLuaScript is provided when passing custom duration rejected when consume more than maximum points and multiply delay',
    'node-redis with fixed window when customIncrTtlLuaScript is provided rejected when consume more than maximum points and multiply delay',
    'node-redis with fixed window when customIncrTtlLuaScript is provided when passing custom duration rejected when consume more than maximum points and multiply delay',
  ],
  'dump and restore are not offered': [
    'RateLimiterMemory Persistence dump results in object with version 1 and all keys',
    'RateLimiterMemory Persistence restore correctly from object',
    'RateLimiterMemory Persistence restore correctly when dumpedAt property is omitted',
    'RateLimiterMemory Persistence full-cycle: dump and then restore in a new instance',
    'RateLimiterMemory Persistence restore correctly even if keyPrefix is different',
    'RateLimiterMemory Persistence TTL arithmetic across simulated downtime (shorter than TTL)',
    'RateLimiterMemory Persistence TTL arithmetic across simulated downtime (longer than TTL)',
    'RateLimiterMemory Persistence blocked keys survival after restore',
    'RateLimiterMemory Persistence corrupt input does not throw',
    'RateLimiterMemory Persistence version mismatch does not throw and ignores data',
    'RateLimiterMemory Persistence recalculates block state if points configuration changes',
    'RateLimiterMemory Persistence returns summary of restored, invalid and expired keys',
    'RateLimiterMemory Persistence returns detailed summary when detailResponse is true',
  ],
  "a store's error is the cause of ours, and not passed on itself": [
    'RateLimiterInsuredAbstract - Backward Compatibility Tests With insuranceLimiter should not use insuranceLimiter when rate limit is reached',
  ],
}

/** rate-limiter-flexible 11.1.0: the classes that the face offers */
export const suite = {
  copies: [
    'BurstyRateLimiter',
    'RLWrapperBlackAndWhite',
    'RLWrapperTimeouts',
    'RateLimiterAbstract',
    'RateLimiterCompatibleAbstract',
    'RateLimiterInsuredAbstract',
    'RateLimiterMemory',
    'RateLimiterMemoryPersistence',
    'RateLimiterQueue',
    'RateLimiterRedis.ioredis',
    'RateLimiterRedis.redis',
    'RateLimiterRedisNonAtomic.ioredis',
    'RateLimiterRes',
    'RateLimiterUnion',
    'component/RateLimiterQueueError',
  ]
    .map((name) => `test/${name}.test.js`)
    .concat('test/RedisOptions.js'),
  needs: ['chai', 'ioredis', 'mocha', 'redis', 'sinon'],
  // Its own development uses redis 4, which we do not take.
  versions: { redis: '^5.0.0' },
  redis: true,
  files: Object.fromEntries([
    lib('BurstyRateLimiter'),
    lib('RLWrapperBlackAndWhite'),
    lib('RLWrapperTimeouts'),
    lib('RateLimiterAbstract'),
    lib('RateLimiterCompatibleAbstract'),
    lib('RateLimiterMemory'),
    lib('RateLimiterQueue'),
    lib('RateLimiterQueueError', 'component/RateLimiterQueueError'),
    lib('RateLimiterRedis'),
    lib('RateLimiterRedisNonAtomic'),
    lib('RateLimiterRes'),
    lib('RateLimiterUnion'),
    ['lib/RateLimiterStoreAbstract.js', storeAbstract],
    ['lib/helper/isRateLimiterCompatible.js', isLimiter],
  ]),
  change: (text, name, { port }) =>
    text
      .replaceAll('new Redis()', `new Redis(${port})`)
      .replaceAll('port: 6379', `port: ${port}`)
      // Both clients' tests have one title.
      .replace(
        "describe('RateLimiterRedis with",
        name.includes('.redis.') ? "describe('node-redis with" : '$&',
      ),
  run: ({ results }) => ({
    command: [
      'npx',
      'mocha',
      '--recursive',
      '--exit',
      '--reporter',
      'json',
      '--reporter-option',
      `output=${results}`,
    ],
  }),
  cannot: Object.fromEntries(
    Object.entries(cannot).flatMap(([why, names]) => names.map((name) => [name, why])),
  ),
}
