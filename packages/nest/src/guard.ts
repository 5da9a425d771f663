import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common'
import type { Subject } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import type { Handle, PolicyOrPoliciesOrLimiter } from '@sluice/http'
import { checkArguments, createGate, type Maybe, readTrusted, withHandle } from '@sluice/http/internal'
import { factsOf, type Trust } from './http.ts'
import type { GatewayOptions, NestRequest, RequestGate } from './options.ts'
import { pass } from './pass.ts'
import { RateLimits } from './rate-limits.ts'

const givenByNest =
  'the limits, with which Nest makes it: write { provide: APP_GUARD, useClass: RateLimitGuard } among the providers, or @UseGuards(RateLimitGuard)'

/**
 * Applies the limits of `RateLimitModule` and of the decorators: for the whole application as `APP_GUARD`, or for some of it with
 * `@UseGuards`. A handler that several of them guard is counted once.
 *
 * @example
 * providers: [{ provide: APP_GUARD, useClass: RateLimitGuard }]
 */
export class RateLimitGuard implements CanActivate {
  readonly #limits: RateLimits

  constructor(limits: RateLimits) {
    if (limits === undefined) throw optionError('new RateLimitGuard()', givenByNest, limits)
    this.#limits = limits
    limits.guards++
  }

  canActivate(context: ExecutionContext): Maybe<boolean> {
    const gates = this.#limits.gatesOf(context.getClass(), context.getHandler() as () => unknown)
    const [first] = gates
    if (first === undefined) return true
    const { trust } = this.#limits
    return gates.length === 1 ? pass(first, context, trust) : passAll(gates, context, trust)
  }
}

Inject(RateLimits)(RateLimitGuard, undefined, 0)
Injectable()(RateLimitGuard)

async function passAll(
  gates: readonly RequestGate[],
  context: ExecutionContext,
  trust: Trust,
): Promise<true> {
  for (const gate of gates) await pass(gate, context, trust)
  return true
}

/**
 * A guard with a limit of its own, beside all others, and with the members of a middleware. No decorator changes it.
 *
 * @example
 * const login = rateLimitGuard({ name: 'login', policy: slidingWindowLog({ limit: 5, window: '15m' }) })
 *
 * @UseGuards(login)
 * @Post('login')
 * login() {}
 */
export function rateLimitGuard<N extends string = 'default', S = Subject<N>>(
  options: PolicyOrPoliciesOrLimiter<NestRequest, N, S> & GatewayOptions,
  ...more: []
): CanActivate & Handle<NestRequest, N> {
  checkArguments(options, more)
  const gate: RequestGate = createGate<NestRequest, N, S>(options, ['trustProxy'])
  const trust = readTrusted(options.trustProxy)
  const guard: CanActivate = { canActivate: (context) => pass(gate, context, trust) }
  return withHandle(guard, gate, factsOf) as CanActivate & Handle<NestRequest, N> // of any request
}
