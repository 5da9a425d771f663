import { expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, gcra, memoryStore, notApplicable, type Refused } from '@sluice/core'
import type { Refusal, RequestView } from '@sluice/http'
import express, { type Request } from 'express'
import { rateLimit } from '../src/index.ts'

const policy = gcra({ count: 100, period: '1m' })
const plans = { free: policy, paid: gcra({ count: 1000, period: '1m' }) }
const limiter = createLimiter({ policies: { visitor: policy, attraction: policy } })

/** What the compiler must take; all of it is built once as well. */
const taken = [
  rateLimit({ policy }),
  rateLimit({
    limiter: createLimiter({ policy }),
    policy: (req) => (req.path === '/' ? policy : plans.paid),
  }),
  rateLimit({
    policy,
    name: 'everything',
    store: memoryStore(),
    charge: 'every-level',
    shadow: true,
    onStoreFailure: 'deny',
    observers: [{ decided: ({ allowed }, { durationMs }) => void [allowed, durationMs] }],
    logger: console,
    key: (req: Request, view: RequestView) => [req.ip ?? view.network, req.path],
    cost: (req) => (req.method === 'POST' ? 5 : 1),
    note: (req) => req.originalUrl,
    skip: async (req) => req.path === '/health',
    allowList: ['10.0.0.0/8'],
    denyList: ['2001:db8::/32'],
    settle: (_req, { status, aborted }) => (status < 400 && !aborted ? 0 : undefined),
    onRefused: (_req, decision: Refused<'default'>, refusal: Refusal) => ({
      ...refusal,
      body: decision.reason,
    }),
    refuseBy: 'error',
    headers: { x: 'epoch-seconds', draft: true },
    ipv6Prefix: 56,
  }),
  rateLimit({
    policies: {
      visitor: policy,
      attraction: (req) => (req.query.animal === 'tiger' ? plans.paid : notApplicable),
    },
    key: (req) => ({ visitor: req.header('authorization'), attraction: req.params.animal ?? notApplicable }),
    cost: { attraction: 2 },
    shadow: { visitor: true },
    onStoreFailure: { attraction: 'allow' },
    settle: () => ({ visitor: 0 }),
    headers: false,
  }),
  rateLimit({
    policy: async (req) => plans[req.query.plan === 'paid' ? 'paid' : 'free'],
    key: () => undefined,
  }),
  rateLimit({ limiter, key: () => ({ visitor: 'bob', attraction: 7n }) }),
  rateLimit({ limiter }),
  rateLimit({ limiter, policies: { attraction: (req) => (req.path === '/' ? policy : notApplicable) } }),
  rateLimit({ policy, key: undefined, store: undefined, cost: undefined, headers: undefined }),
]

/** What the compiler must refuse. */
function refused(): void {
  // @ts-expect-error: one of policy, policies, limiter
  rateLimit({})
  // @ts-expect-error: not two of them
  rateLimit({ policy, policies: { visitor: policy } })
  // @ts-expect-error: no such option
  rateLimit({ policy, keyGenerator: () => 'bob' })
  // @ts-expect-error: no such policy
  rateLimit({ policies: { visitor: policy }, cost: { attraction: 2 } })
  // @ts-expect-error: no such policy
  rateLimit({ policies: { visitor: policy }, key: () => ({ attraction: 'tigers' }) })
  // @ts-expect-error: its own settings stand in the limiter
  rateLimit({ limiter, name: 'other' })
  // @ts-expect-error: nor does a policy that is always the same take the place of its own
  rateLimit({ limiter, policy })
  // @ts-expect-error: no such policy
  rateLimit({ limiter, policies: { attractions: () => policy } })
  // @ts-expect-error: milliseconds are no unit of the field
  rateLimit({ policy, headers: { x: 'ms' } })
  // @ts-expect-error: a key is no object of a class
  rateLimit({ policy, key: () => new Date() })
}

it('takes every option, and puts the decision on the request', () => {
  const app = express()
  for (const middleware of taken) app.use(middleware)
  const limit = rateLimit({ policies: { visitor: policy } })
  app.get('/', limit, async (req, res) => {
    const remaining: number | undefined = req.rateLimit?.remaining
    const own: 'visitor' | undefined = limit.decisionFor(req)?.policy
    await limit.limiter.reset(await limit.keyOf(req))
    res.json({ remaining, own, policies: limit.limiter.policies.visitor.limit })
  })
  expect(limit.limiter.name).toBe('default')
  expect(refused).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }))
  expect(rateLimit({ policy: fixedWindow({ limit: 1, window: '1s' }) }).name).toBe('rateLimit')
})
