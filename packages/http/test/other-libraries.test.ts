import { describe, expect, it } from '@jest/globals'
import { complaint } from '@sluice/conformance/internal'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  multiWindow,
  redisStore,
  uniform,
} from '@sluice/core'
import { catalogue, limiters } from '@sluice/core/internal'
import { createGate } from '../src/internal/index.ts'

const policy = fixedWindow({ limit: 5, window: '1s' })

/** The options of each library, as its documentation lists them. */
const peers = {
  'express-rate-limit 8':
    'windowMs max limit message statusCode legacyHeaders standardHeaders identifier requestPropertyName skipFailedRequests ' +
    'skipSuccessfulRequests keyGenerator ipv6Subnet handler skip requestWasSuccessful store validate passOnStoreError logger',
  '@fastify/rate-limit 11':
    'max timeWindow hook cache allowList redis nameSpace continueExceeding skipOnError keyGenerator errorResponseBuilder ' +
    'enableDraftSpec addHeaders addHeadersOnExceeding onBanReach onExceeding onExceeded ban groupId exponentialBackoff ipv6Subnet store',
  'koa-ratelimit 6':
    'driver db duration errorMessage id headers max disableHeader whitelist blacklist status throw namespace onLimited',
  'rate-limiter-flexible 11':
    'points duration storeClient keyPrefix blockDuration execEvenly execEvenlyMinDelayMs inMemoryBlockOnConsumed ' +
    'inMemoryBlockDuration insuranceLimiter useRedisPackage useRedis3AndLowerPackage rejectIfRedisNotReady tableName',
  '@nestjs/throttler 6':
    'throttlers default short medium long ttl limit blockDuration skipIf ignoreUserAgents getTracker generateKey errorMessage storage setHeaders',
  'express-slow-down 3': 'delayAfter delayMs onLimitReached',
  'hono-rate-limiter': 'windowMs limit keyGenerator requestWasSuccessful',
  '@upstash/ratelimit 2': 'redis prefix ephemeralCache timeout analytics dynamicLimits',
  'bottleneck 2': 'maxConcurrent minTime reservoir highWater',
  'a framework, a strategy or a client': 'trustProxy window count period host port failOpen dryRun',
}

/** What a store in memory says, which has no option of those names. */
function hintFor(name: string): string {
  return complaint(() => memoryStore({ [name]: 1 } as object))
}

describe('an option of another library', () => {
  it.each(Object.entries(peers))('of %s has an answer', (_library, names) => {
    expect(
      names
        .split(' ')
        .filter((name) => !/a known option; .+, see https:\/\/github\.com\/.+\/docs\//.test(hintFor(name))),
    ).toEqual([])
  })

  // biome-ignore format: a table
  it.each<[string, () => unknown, string]>([
    ['rateLimit', () => createGate({ windowMs: 60_000, limit: 100 } as object),
      `windowMs: expected a known option; write policy: fixedWindow({ limit: 100, window: '1m' }), see https://github.com/sluicejs/sluice/blob/main/docs/strategies/fixedWindow.md, got "windowMs" (string)`],
    ['rateLimit', () => createGate({ limit: 100 } as object),
      `limit: expected a known option; write policy: fixedWindow({ limit: 100, window: '1m' }), see`],
    ['rateLimit', () => createGate({ policy, standardHeaders: 'draft-8' } as object),
      'standardHeaders: expected a known option; write headers: { x: false, draft: 6 }, or 7 or 8, see https://github.com/sluicejs/sluice/blob/main/docs/http.md#versions-of-the-draft, got'],
    ['rateLimit', () => createGate({ ttl: 60_000 } as object),
      `ttl: expected a known option; write policy: fixedWindow({ limit: 100, window: '1m' }), see`],
    ['createLimiter', () => createLimiter({ policy, keyPrefix: 'login' } as { policy: typeof policy }),
      `keyPrefix: expected a known option; write name: 'login' for a count of its own, or redisStore(client, { prefix: 'app:' }) for all keys, see https://github.com/sluicejs/sluice/blob/main/docs/api.md#`],
    ['createLimiter', () => createLimiter({ policy, skip: () => true } as { policy: typeof policy }),
      `skip: expected a known option; write skip: (req) => req.path === '/health', at rateLimit(), see https://github.com/sluicejs/sluice/blob/main/docs/http.md#`],
    ['createLimiter', () => createLimiter({ policy, deadline: 50 } as { policy: typeof policy }),
      `deadline: expected a known option; write redisStore(url, { deadline: '50ms', processes: 4 }), see https://github.com/sluicejs/sluice/blob/main/docs/api.md#redisstore`],
    ['rateLimit', () => createGate({ policy, processes: 4 } as object),
      `processes: expected a known option; write redisStore(url, { deadline: '50ms', processes: 4 }), see`],
    ['a strategy', () => fixedWindow({ windowMs: 60_000, max: 100 } as object as { limit: number; window: '1m' }),
      `windowMs: expected a known option; write fixedWindow({ limit: 100, window: '1m' }), got`],
    ['a strategy', () => gcra({ points: 5, duration: 1 } as object as { count: number; period: '1m' }),
      `points: expected a known option; write gcra({ count: 100, period: '1m' }), got`],
    ['a strategy', () => gcra({ count: 5, period: '1m', blockDuration: 600 } as object as { count: number; period: '1m' }),
      `blockDuration: expected a known option; write policy: fixedWindow({ limit: 5, window: '1m', blockFor: '10m' }), see`],
    ['rateLimit', () => createGate({ count: 5, period: '1m' } as object),
      `count: expected a known option; write policy: gcra({ count: 100, period: '1m' }), see https://github.com/sluicejs/sluice/blob/main/docs/strategies/gcra.md, got`],
    ['rateLimit', () => createGate({ policy, trustProxy: 1 } as object),
      `trustProxy: expected a known option; write it at the framework, as app.set('trust proxy', 1) in Express, or as proxies: 1 in @sluice/fetch, see https://github.com/sluicejs/sluice/blob/main/docs/keys.md#behind-a-proxy, got`],
    ['rateLimit', () => createGate({ policy, proxies: 1 } as object),
      `proxies: expected a known option; write it at the framework, as app.set('trust proxy', 1) in Express, or`],
    ['rateLimit', () => createGate({ policy, delayAfter: 5 } as object),
      'delayAfter: expected a known option; write slowDown: { delayAfter: 5, delayMs: 500 }, see https://github.com/sluicejs/sluice/blob/main/docs/moving/express-slow-down.md, got'],
    ['a client', () => redisStore({ host: 'localhost', port: 6379 } as unknown as string),
      `redis.host: expected a known option; write store: redisStore('redis://localhost'), or redisStore(client), see https://github.com/sluicejs/sluice/blob/main/docs/api.md#`],
    ['redisStore', () => redisStore('redis://localhost', { insuranceLimiter: {} } as object),
      `insuranceLimiter: expected a known option; write onStoreFailure: 'local', the default, which counts in this process, see https://github.com/sluicejs/sluice/blob/main/docs/reliability.md#`],
    ['memoryStore', () => memoryStore({ max: 5000 } as object),
      `max: expected a known option; write store: memoryStore({ maxKeys: 5000 }), see`],
    ['memoryStore', () => memoryStore({ duration: 1 } as object),
      `duration: expected a known option; write policy: fixedWindow({ limit: 100, window: '1m' }), where a bare number is milliseconds, see`],
  ])('given to %s is answered with what to write', (_where, call, message) => {
    expect(complaint(call)).toContain(message)
  })

  it('is not looked up for a name that is a letter away from one of ours', () => {
    const limits = { limit: [{ limit: 5, window: '1s' }] } as object as { limits: [] }
    expect(complaint(() => multiWindow(limits))).toContain(
      'limit: expected a known option (did you mean "limits"?)',
    )
    expect(complaint(() => createGate({ policy, skipp: true } as object))).toContain('(did you mean "skip"?)')
  })
})

describe('an option of ours in a wrong place', () => {
  const limiterNames: readonly string[] = limiters.limiterNames
  const ofStrategies = [...catalogue.declaredStrategies.values()].flatMap(({ options }) =>
    Object.keys(options),
  )
  /** The names of options, as the error for an unknown one lists them. */
  const listed = (make: (options: object) => unknown) =>
    /\(one of ([^)]+)\)/.exec(complaint(() => make({ unheardOf: 1 })))?.[1]?.split(', ') ?? []
  const limiter = (options: object) => createLimiter({ policy, ...options })
  const redis = (options: object) => redisStore('redis://localhost', options)
  const ofRedis = listed(redis)
  const ofGates = listed((options) => createGate({ policy, ...options })).filter(
    (name) => name !== 'limiter' && !limiterNames.includes(name),
  )

  // biome-ignore format: a table
  it.each<[string, string, (options: object) => unknown, readonly string[]]>([
    ['rateLimit',    'createLimiter', limiter,       ofGates],
    ['a policy',     'createLimiter', limiter,       ofStrategies],
    ['redisStore',   'createLimiter', limiter,       ofRedis],
    ['memoryStore',  'createLimiter', limiter,       listed(memoryStore)],
    ['rateLimit',    'a policy',      (options) => fixedWindow({ limit: 5, window: '1m', ...options }), ofGates],
    ['createLimiter', 'a policy',     (options) => fixedWindow({ limit: 5, window: '1m', ...options }), limiterNames],
    ['redisStore',   'a policy',      (options) => fixedWindow({ limit: 5, window: '1m', ...options }), ofRedis],
    ['createLimiter', 'memoryStore',  memoryStore,   limiterNames],
    ['createLimiter', 'redisStore',   redis,         limiterNames],
    ['rateLimit',    'redisStore',    redis,         ofGates],
    ['a client',     'redisStore',    redis,         ['url', 'username', 'password', 'tls', 'cluster', 'sentinels', 'master', 'token']],
  ])('of %s, given to %s, is answered with where it belongs', (_of, _to, make, names) => {
    expect(names.length).toBeGreaterThan(0)
    const unanswered = names.filter((name) => !/a known option; write /.test(complaint(() => make({ [name]: 1 }))))
    expect(unanswered).toEqual([])
  })

  // biome-ignore format: a table
  it.each<[string, () => unknown, string]>([
    ['cost',           () => createLimiter({ policy, cost: 2 } as { policy: typeof policy }),    'cost: expected a known option; write it at rateLimit() or check(), see '],
    ['onStoreFailure', () => memoryStore({ onStoreFailure: 'deny' } as object),                  'onStoreFailure: expected a known option; write it at createLimiter() or rateLimit(), see '],
    ['burst',          () => createGate({ policy, burst: 5 } as object),                         'burst: expected a known option; write it in the policy, see '],
    ['password',       () => redisStore('redis://localhost', { password: 'hidden' } as object),  'password: expected a known option; write it in the first argument: redisStore({ url, password }), see '],
    ['burst in another strategy', () => fixedWindow({ limit: 5, window: '1m', burst: 5 } as { limit: number; window: '1m' }), 'burst: expected a known option (one of limit, window, '],
  ])('%s', (_name, call, message) => {
    expect(complaint(call)).toContain(message)
  })
})

describe('what is to be written', () => {
  const makers = {
    concurrency,
    fixedWindow,
    gcra,
    memoryStore,
    uniform,
    redisStore: readRedisStore,
    postgresStore: () => memoryStore(),
    pool: {},
    console,
  }

  /** Opens no connection. */
  function readRedisStore(_redis: string, options: object = {}): unknown {
    for (const name of Object.keys(options)) expect(['prefix', 'refusalCache']).toContain(name)
    return memoryStore()
  }

  const names = Object.values(peers).join(' ').split(' ')
  // Behind the code stands what else may be written, or where.
  const codes = names.flatMap((name) => {
    const [, code] =
      /; write (\w+: .+?)(?:,? (?:or|at|for|where|the default)\b.*)?, see /.exec(hintFor(name)) ?? []
    return code === undefined || /^(?:policies|nothing):/.test(code) ? [] : [code]
  })
  it('is read from what is said', () => expect(new Set(codes).size).toBeGreaterThan(30))

  it.each([...new Set(codes)])('is taken: %s', (code) => {
    const read = new Function(...Object.keys(makers), `return { ${code} }`)
    expect(complaint(() => createGate({ policy, ...read(...Object.values(makers)) }))).toBe('nothing')
  })
})
