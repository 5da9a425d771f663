import { expect, it } from '@jest/globals'
import Router from '@koa/router'
import { createLimiter, gcra, memoryStore, notApplicable } from '@sluice/core'
import Koa from 'koa'
import { type RateLimitState, rateLimit } from '../src/index.ts'

const policy = gcra({ count: 100, period: '1m' })
const limiter = createLimiter({ policies: { visitor: policy, attraction: policy } })

/** What the compiler must take; all of it is built once as well. */
const taken = [
  rateLimit({ policy }),
  rateLimit({
    policy,
    name: 'everything',
    store: memoryStore(),
    charge: 'every-level',
    shadow: true,
    onStoreFailure: 'deny',
    observers: [{ warned: ({ code }) => void code }],
    logger: console,
    key: (ctx, view) => [ctx.ip, view.route ?? ''],
    cost: (ctx) => (ctx.method === 'POST' ? 5 : 1),
    note: (ctx) => ctx.path,
    skip: async (ctx) => ctx.path === '/health',
    allowList: ['10.0.0.0/8'],
    denyList: ['2001:db8::/32'],
    settle: (ctx, { status }) => (ctx.state.user === undefined && status < 400 ? 0 : undefined),
    onRefused: (_ctx, decision, refusal) => ({ ...refusal, body: decision.reason }),
    refuseBy: 'error',
    headers: { x: false, draft: true },
    ipv6Prefix: 56,
  }),
  rateLimit({
    policies: {
      visitor: policy,
      attraction: (ctx) => (ctx.query.animal === 'tiger' ? policy : notApplicable),
    },
    key: (ctx) => ({ visitor: ctx.get('authorization'), attraction: ctx.params?.animal ?? notApplicable }),
    cost: { attraction: 2 },
  }),
  rateLimit({ limiter, key: () => ({ visitor: 'bob', attraction: ['tigers', 7] }) }),
]

/** What the compiler must refuse. */
function refused(): void {
  // @ts-expect-error: one of policy, policies, limiter
  rateLimit({})
  // @ts-expect-error: no such option
  rateLimit({ policy, max: 5 })
  // @ts-expect-error: no such policy
  rateLimit({ policies: { visitor: policy }, shadow: { attraction: true } })
}

interface MyState extends RateLimitState {
  user: string
}

it('takes every option, in applications and routers of any state, and puts the decision on the state', () => {
  const app = new Koa()
  for (const middleware of taken) app.use(middleware)
  app.use((ctx) => {
    const remaining: number | undefined = ctx.state.rateLimit?.remaining
    ctx.body = remaining
  })
  const mine = new Koa<MyState, { tenant: string }>()
  const router = new Router<MyState, { tenant: string }>()
  const limit = rateLimit({ policies: { visitor: policy }, key: (ctx) => ctx.tenant })
  mine.use(limit)
  router.get('/', limit, async (ctx) => {
    const remaining: number | undefined = ctx.state.rateLimit?.remaining
    const own: 'visitor' | undefined = limit.decisionFor(ctx)?.policy
    await limit.limiter.penalize(await limit.keyOf(ctx), 5)
    ctx.body = { remaining, own, user: ctx.state.user }
  })
  mine.use(router.routes())
  expect(limit.limiter.policies.visitor).toBe(policy)
  expect(refused).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }))
})
