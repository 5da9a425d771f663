import { expect, it } from '@jest/globals'
import { createLimiter, gcra, memoryStore, notApplicable } from '@sluice/core'
import Fastify from 'fastify'
import { type RateLimitPluginOptions, type RouteRateLimit, rateLimit } from '../src/index.ts'

const policy = gcra({ count: 100, period: '1m' })
const limiter = createLimiter({ policies: { visitor: policy, attraction: policy } })

/** What the compiler must take; all of it is registered once as well. */
const taken: readonly RateLimitPluginOptions[] = [
  { policy },
  {
    policy,
    name: 'everything',
    store: memoryStore(),
    charge: 'every-level',
    shadow: true,
    onStoreFailure: 'deny',
    observers: [{ storeFailed: ({ kind }) => void kind }],
    logger: console,
    key: (request, view) => [request.ip, view.method],
    cost: (request) => (request.method === 'POST' ? 5 : 1),
    note: (request) => request.url,
    skip: async (request) => request.url === '/health',
    allowList: ['10.0.0.0/8'],
    denyList: ['2001:db8::/32'],
    settle: (_request, { status }) => (status < 400 ? 0 : undefined),
    onRefused: (_request, decision, refusal) => ({ ...refusal, body: decision.reason }),
    refuseBy: 'error',
    headers: { x: 'seconds', draft: true },
    ipv6Prefix: 56,
    hook: 'preHandler',
    global: false,
  },
  {
    policies: {
      visitor: policy,
      attraction: (request) => (request.hostname === 'zoo' ? policy : notApplicable),
    },
    key: (request) => ({ visitor: request.headers.authorization, attraction: notApplicable }),
    cost: { attraction: 2 },
  },
  { limiter, key: () => ({ visitor: 'bob', attraction: 'tigers' }) },
  { limiter },
  { limiter: createLimiter({ policy }), policy: (request) => (request.url === '/' ? policy : notApplicable) },
  { limiter, policies: { visitor: (request) => (request.url === '/' ? policy : notApplicable) } },
]

const strict = {
  policy: gcra({ count: 5, period: '1m' }),
  name: 'login',
  hook: 'preHandler',
  inherit: true,
  key: (request) => (request.body as { user?: string } | undefined)?.user,
  onStoreFailure: 'deny',
} satisfies RouteRateLimit

const wrong = {
  policy,
  // @ts-expect-error: no such option
  max: 5,
} satisfies RouteRateLimit

it('takes every option, over HTTP/1 and HTTP/2, and puts the decision on the request', async () => {
  for (const options of taken) {
    const app = Fastify()
    await app.register(rateLimit, options)
    await app.close()
  }
  const app = Fastify({ trustProxy: '10.0.0.0/8' })
  await app.register(rateLimit, { policy, key: (request) => request.ip })
  app.post('/login', { config: { rateLimit: strict } }, async (request) => {
    const remaining: number | undefined = request.rateLimit?.remaining
    return { remaining }
  })
  app.get('/free', { config: { rateLimit: false } }, async () => 'ok')
  app.setNotFoundHandler({ preHandler: app.rateLimitHook({ cost: 2 }) }, (_, reply) => reply.code(404).send())
  expect(() => app.get('/wrong', { config: { rateLimit: wrong } }, async () => 'ok')).toThrow('max')
  await app.close()
  const two = Fastify({ http2: true })
  await two.register(rateLimit, { policy })
  two.get('/', { config: { rateLimit: { policy } }, onRequest: two.rateLimitHook() }, async () => 'ok')
  await two.close()
})
