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
      await Promise.all([limiter._upsert('probe', 0, 0), limiter._get('probe'), limiter._delete('probe')])
      const { result, writes } = change(keys.map((key) => states.get(key) ?? null), Date.now() * 1000)
      for (const { key, state } of writes) state === null ? states.delete(key) : states.set(key, state)
      return result
    }
    super({ ...options, storeClient: stateStore({ name: 'own', transact }) })
    limiter = this
  }
}
`

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
  ]),
  change: (text, _name, { port }) =>
    text.replaceAll('new Redis()', `new Redis(${port})`).replaceAll('port: 6379', `port: ${port}`),
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
  cannot: {},
}
