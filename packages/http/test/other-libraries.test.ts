import { readFileSync } from 'node:fs'
import path from 'node:path'
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
import { createGate } from '../src/internal/index.ts'

const policy = fixedWindow({ limit: 1, window: '1s' })

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
    'throttlers ttl limit blockDuration skipIf ignoreUserAgents getTracker generateKey errorMessage storage setHeaders',
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
        .filter((name) => !/no such option: .+, see https:\/\/github\.com\/.+\/docs\//.test(hintFor(name))),
    ).toEqual([])
  })

  // biome-ignore format: a table
  it.each<[string, () => unknown, string]>([
    ['rateLimit', () => createGate({ windowMs: 60_000, limit: 100 } as object),
      `windowMs: expected no such option: write policy: fixedWindow({ limit: 100, window: '1m' }), see https://github.com/sluicejs/sluice/blob/main/docs/strategies/fixedWindow.md, got "windowMs" (string)`],
    ['rateLimit', () => createGate({ limit: 100 } as object),
      `limit: expected no such option: write policy: fixedWindow({ limit: 100, window: '1m' }), see`],
    ['rateLimit', () => createGate({ policy, standardHeaders: 'draft-8' } as object),
      'standardHeaders: expected no such option: write headers: { x: false, draft: 6 }, or 7 or 8, see https://github.com/sluicejs/sluice/blob/main/docs/http.md#versions-of-the-draft, got'],
    ['rateLimit', () => createGate({ ttl: 60_000 } as object),
      `ttl: expected no such option: write policy: fixedWindow({ limit: 100, window: '1m' }), see`],
    ['createLimiter', () => createLimiter({ policy, keyPrefix: 'login' } as { policy: typeof policy }),
      `keyPrefix: expected no such option: write name: 'login' for a count of its own, or redisStore(client, { prefix: 'app:' }) for all keys, see https://github.com/sluicejs/sluice/blob/main/docs/api.md#`],
    ['createLimiter', () => createLimiter({ policy, skip: () => true } as { policy: typeof policy }),
      `skip: expected no such option: write skip: (req) => req.path === '/health', at rateLimit(), see https://github.com/sluicejs/sluice/blob/main/docs/http.md#`],
    ['createLimiter', () => createLimiter({ policy, deadline: 50 } as { policy: typeof policy }),
      `deadline: expected no such option: write redisStore(url, { deadline: '50ms', processes: 4 }), see https://github.com/sluicejs/sluice/blob/main/docs/api.md#redisstore`],
    ['rateLimit', () => createGate({ policy, processes: 4 } as object),
      `processes: expected no such option: write redisStore(url, { deadline: '50ms', processes: 4 }), see`],
    ['a strategy', () => fixedWindow({ windowMs: 60_000, max: 100 } as object as { limit: number; window: '1m' }),
      `windowMs: expected no such option: write fixedWindow({ limit: 100, window: '1m' }), got`],
    ['a strategy', () => gcra({ points: 5, duration: 1 } as object as { count: number; period: '1m' }),
      `points: expected no such option: write gcra({ count: 100, period: '1m' }), got`],
    ['a strategy', () => gcra({ count: 5, period: '1m', blockDuration: 600 } as object as { count: number; period: '1m' }),
      `blockDuration: expected no such option: write policy: fixedWindow({ limit: 5, window: '1m', blockFor: '10m' }), see`],
    ['rateLimit', () => createGate({ count: 5, period: '1m' } as object),
      `count: expected no such option: write policy: gcra({ count: 100, period: '1m' }), see https://github.com/sluicejs/sluice/blob/main/docs/strategies/gcra.md, got`],
    ['rateLimit', () => createGate({ policy, trustProxy: 1 } as object),
      `trustProxy: expected no such option: write it at the framework, as app.set('trust proxy', 1) in Express, see https://github.com/sluicejs/sluice/blob/main/docs/keys.md#behind-a-proxy, got`],
    ['rateLimit', () => createGate({ policy, delayAfter: 5 } as object),
      'delayAfter: expected no such option: write slowDown: { delayAfter: 5, delayMs: 500 }, see https://github.com/sluicejs/sluice/blob/main/docs/moving/express-slow-down.md, got'],
    ['a client', () => redisStore({ host: 'localhost', port: 6379 } as unknown as string),
      `redis.host: expected no such option: write store: redisStore('redis://localhost'), or redisStore(client), see https://github.com/sluicejs/sluice/blob/main/docs/api.md#`],
    ['redisStore', () => redisStore('redis://localhost', { insuranceLimiter: {} } as object),
      `insuranceLimiter: expected no such option: write onStoreFailure: 'local', the default, which counts in this process, see https://github.com/sluicejs/sluice/blob/main/docs/reliability.md#`],
    ['memoryStore', () => memoryStore({ duration: 1 } as object),
      `duration: expected no such option: write policy: fixedWindow({ limit: 100, window: '1m' }), where a bare number is milliseconds, see`],
  ])('given to %s is answered with what to write', (_where, call, message) => {
    expect(complaint(call)).toContain(message)
  })

  it('is not looked up for a name that is a letter away from one of ours', () => {
    const limits = { limit: [{ limit: 5, window: '1s' }] } as object as { limits: [] }
    expect(complaint(() => multiWindow(limits))).toContain(
      'limit: expected no such option (did you mean "limits"?)',
    )
    expect(complaint(() => createGate({ policy, skipp: true } as object))).toContain('(did you mean "skip"?)')
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
    console,
  }

  /** Opens no connection. */
  function readRedisStore(_redis: string, options: object = {}): unknown {
    for (const name of Object.keys(options)) expect(['prefix', 'refusalCache']).toContain(name)
    return memoryStore()
  }

  const said = readFileSync(path.resolve(__dirname, '../../core/src/other-libraries.ts'), 'utf8')
  const codes = [...said.matchAll(/ code: (["'])(.+?)\1/g)].map(([, , code = '']) => code)
  it('is read from where it is said', () => expect(codes.length).toBeGreaterThan(30))

  it.each([...new Set(codes)])('is taken: %s', (code) => {
    const read = new Function(...Object.keys(makers), `return { ${code} }`)
    expect(complaint(() => createGate({ policy, ...read(...Object.values(makers)) }))).toBe('nothing')
  })
})
