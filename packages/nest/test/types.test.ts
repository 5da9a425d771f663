import type { IncomingMessage } from 'node:http'
import { expect, it } from '@jest/globals'
import { Controller, Get, Injectable, UseGuards } from '@nestjs/common'
import type { Decision } from '@sluice/core'
import { concurrency, createLimiter, gcra, memoryStore, notApplicable } from '@sluice/core'
import {
  RateLimit,
  RateLimitDecision,
  RateLimitModule,
  type RateLimitModuleOptions,
  rateLimitGuard,
  SkipRateLimit,
} from '../src/index.ts'

const policy = gcra({ count: 100, period: '1m' })
const limiter = createLimiter({ policies: { visitor: policy, attraction: policy } })

@Injectable()
class Settings {
  readonly perMinute = 100
}

/** What the compiler must take; all of it is built once as well. */
const taken: readonly RateLimitModuleOptions[] = [
  { policy },
  { global: false },
  { global: false, store: memoryStore(), onStoreFailure: 'deny', trustProxy: ['10.0.0.0/8'] },
  {
    policy,
    name: 'everything',
    charge: 'every-level',
    shadow: true,
    observers: [{ warned: ({ code }) => void code }],
    logger: console,
    key: (request: IncomingMessage, view) => [request.url ?? '', view.network],
    cost: (request) => (request.method === 'POST' ? 5 : 1),
    skip: async (request) => request.path === '/health',
    allowList: ['10.0.0.0/8'],
    settle: (_, { status }) => (status < 400 ? 0 : undefined),
    onRefused: (_request, decision, refusal) => ({ ...refusal, body: decision.reason }),
    refuseBy: 'error',
    headers: { x: false, draft: true },
    ipv6Prefix: 56,
  },
  { policies: { visitor: policy, attraction: (request) => (request.user ? policy : notApplicable) } },
  { limiter, key: () => ({ visitor: 'bob', attraction: ['tigers', 7] }) },
  { limiter },
  { limiter: createLimiter({ policy }), policy: (request) => (request.url === '/' ? policy : notApplicable) },
  { limiter, policies: { visitor: (request) => (request.url === '/' ? policy : notApplicable) } },
]

const guard = rateLimitGuard({
  policies: { visitor: policy },
  key: (request: IncomingMessage) => request.url,
})

@RateLimit({ policies: { burst: policy, slots: concurrency({ limit: 2 }) }, inherit: true, name: 'zoo' })
@Controller()
export class ZooController {
  @UseGuards(guard)
  @RateLimit({ cost: 5, key: (request: IncomingMessage) => request.url })
  @Get('tigers')
  tigers(@RateLimitDecision() decision: Decision | null): unknown {
    return decision?.remaining
  }

  @SkipRateLimit()
  @Get('health')
  health(): void {}
}

/** What the compiler must refuse. */
function refused(): void {
  // @ts-expect-error: one of policy, policies, limiter
  rateLimitGuard({})
  // @ts-expect-error: no such option
  rateLimitGuard({ policy, max: 5 })
  // @ts-expect-error: a policy, unless global is false
  RateLimitModule.forRoot({})
  // @ts-expect-error: decorators count on the module's store
  RateLimit({ policy, store: memoryStore() })
}

it('takes every option, and knows the names of policies', async () => {
  for (const options of taken) expect(RateLimitModule.forRoot(options).module).toBe(RateLimitModule)
  const later = RateLimitModule.forRootAsync({
    inject: [Settings],
    useFactory: ({ perMinute }: Settings) => ({ policy: gcra({ count: perMinute, period: '1m' }) }),
  })
  expect(later.module).toBe(RateLimitModule)
  const request = { url: '/', headers: {}, socket: {}, method: 'GET' } as IncomingMessage
  const own: 'visitor' | undefined = guard.decisionFor(request)?.policy
  expect([own, guard.limiter.policies.visitor]).toEqual([undefined, policy])
  await guard.limiter.penalize(await guard.keyOf(request), 5)
  expect(refused).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION' }))
})
