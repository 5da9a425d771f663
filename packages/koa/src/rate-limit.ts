import {
  type AnyOptions,
  asError,
  bindingDecision,
  createGate,
  type Decision,
  type Handle,
  type Outcome,
  type ProxyTrust,
  type RateLimitOptions,
  type RequestFacts,
  type Subject,
  writtenFields,
} from '@sluice/core/http'
import type { Next, ParameterizedContext } from 'koa'

/** For `Koa<MyState>`: let MyState extend it. */
export interface RateLimitState {
  /** The binding decision so far; undefined when skipped. */
  rateLimit?: Decision | undefined
}

declare module 'koa' {
  interface DefaultState extends RateLimitState {}
}

// biome-ignore lint/suspicious/noExplicitAny: a middleware for applications of any state and context
type Context = ParameterizedContext<any, any, any>

function trustOf({ app }: Context): ProxyTrust {
  if (!app.proxy) return 'none'
  // Without a count Koa takes the leftmost address, which is what the client wrote.
  return app.maxIpsCount > 0 ? 'some' : 'all'
}

function factsOf(ctx: Context): RequestFacts {
  const route: unknown = ctx._matchedRoute
  return {
    method: ctx.method,
    route: route === undefined ? undefined : String(route),
    ip: ctx.ip,
    trust: trustOf(ctx),
    headers: ctx.headers,
  }
}

/** Koa clears the headers of an answer that fails, and sets those that the error brings. */
function bringFields(thrown: unknown, ctx: Context): void {
  if (!(thrown instanceof Error) || !Object.isExtensible(thrown)) return
  const own = 'headers' in thrown && typeof thrown.headers === 'object' ? thrown.headers : {}
  Object.assign(thrown, { headers: { ...writtenFields(ctx), ...own } })
}

/**
 * Rate limiting for Koa 2 and 3: before or behind a router.
 *
 * @example
 * app.proxy = true // behind one proxy
 * app.maxIpsCount = 1
 * app.use(rateLimit({ policy: gcra({ count: 100, period: '1m' }), store: redisStore('redis://localhost') }))
 */
export function rateLimit<N extends string = 'default', S = Subject<N>>(
  options: RateLimitOptions<Context, N, S>,
): ((ctx: Context, next: Next) => Promise<void>) & Handle<Context, N> {
  const gate = createGate<Context>(options as unknown as AnyOptions<Context>) // names are checked at run time

  async function decide(ctx: Context): Promise<Outcome> {
    try {
      return await gate.handle({ request: ctx, facts: factsOf(ctx), fields: ctx.res, raw: ctx.res })
    } catch (thrown) {
      throw asError(thrown)
    } finally {
      ctx.state.rateLimit = bindingDecision(ctx)
    }
  }

  async function rateLimit(ctx: Context, next: Next): Promise<void> {
    try {
      const { refusal } = await decide(ctx)
      if (refusal === null) return await next()
      ctx.status = refusal.status
      ctx.set('Content-Type', refusal.type)
      ctx.body = refusal.body
    } catch (thrown) {
      bringFields(thrown, ctx)
      throw thrown
    }
  }

  const handle = {
    limiter: gate.limiter,
    keyOf: (ctx: Context) => gate.keyOf(ctx, factsOf(ctx)),
    decisionFor: (ctx: Context) => gate.decisionFor(ctx),
  } as unknown as Handle<Context, N> // the gate was made from options of these names
  return Object.assign(rateLimit, handle)
}
