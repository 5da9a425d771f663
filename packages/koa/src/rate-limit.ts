import type { Decision, Subject } from '@sluice/core'
import { isLater, optionError } from '@sluice/core/internal'
import type { Handle, PolicyOrPoliciesOrLimiter } from '@sluice/http'
import {
  asError,
  bindingDecision,
  bringFields,
  checkArguments,
  createGate,
  type HandledOutcome,
  handleRequest,
  type Maybe,
  type RequestFacts,
  type Work,
  withHandle,
} from '@sluice/http/internal'
import type { DefaultState, Next, ParameterizedContext } from 'koa'

/** What each context's `state` has. */
export interface RateLimitState {
  /** The binding decision so far; undefined when skipped. */
  rateLimit?: Decision | undefined
}

/** Nothing where the application has declared a `rateLimit` of `DefaultState` itself: it is any where nobody has. */
type StateOfContext = 0 extends 1 & DefaultState['rateLimit'] ? RateLimitState : object

declare module 'koa' {
  interface ExtendableContext {
    state: StateOfContext
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a middleware for applications of any state and context
type Context = ParameterizedContext<any, any, any>

const ofKoa = 'a context of Koa: other frameworks have packages of their own'

class KoaFacts implements RequestFacts {
  readonly ip: string
  readonly peer: string | undefined
  readonly trustsAll: boolean
  readonly headers: RequestFacts['headers']
  readonly #ctx: Context

  constructor(ctx: Context) {
    this.ip = ctx.ip
    this.peer = ctx.req.socket.remoteAddress
    // Without a count Koa takes the leftmost address, which is what the client wrote.
    this.trustsAll = ctx.app.proxy && !(ctx.app.maxIpsCount > 0)
    this.headers = ctx.headers
    this.#ctx = ctx
  }

  get method(): string {
    return this.#ctx.method
  }

  get route(): string | undefined {
    const route: unknown = this.#ctx._matchedRoute
    return route === undefined ? undefined : String(route)
  }
}

function factsOf(ctx: Context): RequestFacts {
  return new KoaFacts(ctx)
}

/** A client that hangs up ends the response, but not the work in `next`. */
async function watched(work: Work, ctx: Context, next: Next): Promise<void> {
  work.begin()
  try {
    await next()
  } finally {
    work.end()
  }
  const { body } = ctx
  // A middleware before this one may pipe it through a stream of its own, as koa-compress does: that one never ends if this breaks off.
  if (typeof body?.once === 'function')
    body.once('close', () => {
      if (body.readableEnded === false) work.lost()
    })
}

/**
 * Rate limiting for Koa 2 and 3: before or after a router.
 *
 * @example
 * app.use(rateLimit({ policy: gcra({ count: 100, period: '1m' }), store: redisStore('redis://localhost') }))
 */
export function rateLimit<N extends string = 'default', S = Subject<N>>(
  options: PolicyOrPoliciesOrLimiter<Context, N, S>,
  ...more: []
): ((ctx: Context, next: Next) => Promise<void>) & Handle<Context, N> {
  checkArguments(options, more)
  const gate = createGate<Context, N, S>(options)

  /** No part of the async function, which would keep the object for as long as it waits. */
  function ask(ctx: Context): Maybe<HandledOutcome> {
    return handleRequest(gate, { request: ctx, facts: factsOf(ctx), fields: ctx.res, raw: ctx.res })
  }

  async function rateLimit(ctx: Context, next: Next): Promise<void> {
    try {
      let outcome: HandledOutcome
      try {
        const asked = ask(ctx)
        outcome = isLater(asked) ? await asked : asked
      } catch (thrown) {
        throw asError(thrown)
      } finally {
        ctx.state.rateLimit = bindingDecision(ctx)
      }
      const { refusal, work } = outcome
      if (refusal === null) return work === undefined ? await next() : await watched(work, ctx, next)
      ctx.status = refusal.status
      ctx.set('Content-Type', refusal.type)
      ctx.body = refusal.body
    } catch (thrown) {
      // In an application of another framework: a request of Express has an `app`, and no `state`.
      if (ctx.app === undefined || ctx.state === undefined) throw optionError('ctx', ofKoa, ctx)
      bringFields(thrown, ctx)
      throw thrown
    }
  }

  return withHandle(rateLimit, gate, factsOf)
}
