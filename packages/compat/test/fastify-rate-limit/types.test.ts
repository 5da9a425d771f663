import { expect, it } from '@jest/globals'
import Fastify, { type preHandlerAsyncHookHandler } from 'fastify'
import rateLimit, {
  type CreateRateLimitOptions,
  fastifyRateLimit,
  type RateLimitPluginOptions,
  type RateLimitResult,
} from '../../src/fastify-rate-limit/index.ts'

/** What the compiler must take; all of it is registered once as well. */
const taken: readonly RateLimitPluginOptions[] = [
  {},
  { global: false, max: 5, timeWindow: '1 minute', ban: 2, hook: 'preHandler', cache: 10, groupId: 'all' },
  {
    max: async (request, key) => request.url.length + key.length,
    timeWindow: (_request, key) => key.length + 1,
  },
  {
    allowList: ['127.0.0.1'],
    keyGenerator: async (request) => request.ip,
    ipv6Subnet: 56,
    nameSpace: 'types-',
  },
  { allowList: async (request, key) => request.url === key, keyGenerator: () => 42, skipOnError: true },
  { addHeaders: { 'retry-after': false }, addHeadersOnExceeding: { 'x-ratelimit-limit': false } },
  { enableDraftSpec: true, addHeaders: { 'ratelimit-limit': false } },
  { continueExceeding: true, onExceeding: (request, key) => void [request.url, key], onExceeded: () => {} },
  {
    exponentialBackoff: true,
    onBanReach: () => {},
    errorResponseBuilder: (_request, { after }) => ({ after }),
  },
]

const limiterOptions: CreateRateLimitOptions = { max: 0, timeWindow: 5000, skipOnError: true }

it('every kind of option is taken', async () => {
  for (const options of taken) {
    const app = Fastify()
    await app.register(rateLimit, options)
    const hook: preHandlerAsyncHookHandler = app.rateLimit(limiterOptions)
    app.get('/', { preHandler: hook, config: { rateLimit: { max: 5 } } }, async (request) => {
      const result: RateLimitResult = await app.createRateLimit()(request, { increment: false })
      return result.isAllowed ? result.key : result.remaining
    })
    app.get('/free', { config: { rateLimit: false } }, async () => 'free')
    await app.ready()
    expect(app.hasPlugin('@fastify/rate-limit')).toBe(true)
    await app.close()
  }
})

it('the default export is the named one', () => {
  expect(rateLimit).toBe(fastifyRateLimit)
})
