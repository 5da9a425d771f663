import { type Decision, type Key, notApplicable, type Refused } from '@sluice/core'
import { observing, retryAfterSeconds } from '@sluice/core/internal'
import { asError, createGate, type Gate, handleRequest, type RequestFacts } from '@sluice/http/internal'
import type { Next } from 'koa'
import { timeInWords } from '../words.ts'
import { type Context, type MiddlewareOptions, readOptions, type Settings } from './options.ts'

/**
 * koa-ratelimit over Sluice: the same options, fields and answers.
 *
 * @example
 * app.use(ratelimit({ driver: 'redis', db: new Redis(), duration: 60_000, max: 100 }))
 */
export function ratelimit(options: MiddlewareOptions = {}): (ctx: Context, next: Next) => Promise<void> {
  const settings = readOptions(options)
  const gateNow = gatesOf(settings)
  gateNow()

  return async function ratelimit(ctx, next) {
    let goesOn: boolean
    try {
      goesOn = await passes(ctx, gateNow(), settings)
    } catch (thrown) {
      // Koa takes a thrown `undefined` or `null` for no error, and never answers.
      throw asError(thrown)
    }
    if (goesOn) await next()
  }
}

/** Whether the request goes on; if not, it has been answered. */
async function passes(ctx: Context, gate: Gate<Context>, settings: Settings): Promise<boolean> {
  const facts = factsOf(ctx)
  const { decision, refusal } = await handleRequest(gate, {
    request: ctx,
    facts,
    fields: ctx.res,
    raw: ctx.res,
  })
  if (decision === null) {
    // The client has gone before it was counted: nobody reads an answer, and nothing runs.
    if (refusal !== null) ctx.status = refusal.status
    return refusal === null
  }
  const fields = fieldsOf(decision, settings)
  ctx.set(fields)
  if (!decision.allowed) refuse(ctx, decision, settings, fields)
  return decision.allowed
}

/** Makes a new gate when the store is a new one, so that nothing is left of the counts in a Map that was cleared. */
function gatesOf(settings: Settings): () => Gate<Context> {
  let store = settings.store()
  let gate = gateOn(settings)
  return () => {
    const storeNow = settings.store()
    if (storeNow !== store) {
      store = storeNow
      gate = gateOn(settings)
    }
    return gate
  }
}

function gateOn({ namespace, policy, store, id, whitelist, blacklist }: Settings): Gate<Context> {
  async function skip(ctx: Context): Promise<boolean> {
    if (await blacklist?.(ctx)) ctx.throw(403, 'Forbidden')
    return (await whitelist?.(ctx)) ?? false
  }
  async function key(ctx: Context): Promise<unknown> {
    const answer = await id?.(ctx)
    return answer === false ? notApplicable : answer
  }
  return createGate<Context>({
    name: namespace,
    store: store(),
    // Chosen for each request, as middlewares of one namespace may have limits of their own.
    policy: () => policy,
    // Without `id` a request counts under the client's network, by its plain name.
    key: id === undefined ? undefined : (key as (ctx: Context) => Promise<Key>), // what is no key counts under the client's network
    skip: whitelist === undefined && blacklist === undefined ? undefined : skip,
    headers: false,
  })
}

function factsOf(ctx: Context): RequestFacts {
  return {
    method: ctx.method,
    route: undefined,
    ip: ctx.ip,
    peer: ctx.req.socket.remoteAddress,
    // Without `maxIpsCount`, Koa takes the leftmost address, which is what the client wrote.
    trustsAll: ctx.app.proxy && !(ctx.app.maxIpsCount > 0),
    headers: ctx.headers,
  }
}

/** Where `max` is 0 a refusal has no end; koa-ratelimit tells a whole duration. */
function waitMsOf({ allowed, retryAfterMs, resetAfterMs }: Decision, { durationMs }: Settings): number {
  return retryAfterMs ?? (allowed ? resetAfterMs : durationMs)
}

function fieldsOf(decision: Decision, settings: Settings): Record<string, string> {
  const { headers } = settings
  if (headers === undefined) return {}
  const { allowed, limit, remaining } = decision
  const resetMs = Date.now() + waitMsOf(decision, settings)
  return {
    [headers.remaining]: String(allowed ? remaining : 0),
    [headers.reset]: String(Math.ceil(resetMs / 1000)),
    [headers.total]: String(limit),
  }
}

function refuse(ctx: Context, refused: Refused, settings: Settings, fields: Record<string, string>): void {
  const { status, errorMessage, throws, onLimited } = settings
  const waitMs = waitMsOf(refused, settings)
  const after = retryAfterSeconds(waitMs)
  // koa-ratelimit writes a whole hour as 60 minutes, as it rounds down.
  const body = errorMessage ?? `Rate limit exceeded, retry in ${timeInWords(waitMs - 1)}.`
  ctx.status = status
  ctx.body = body
  ctx.set('Retry-After', String(after))
  ctx.state.rateLimit = { after, headers: fields, id: refused.key, message: body }
  // Nobody awaits what `onLimited` returns, and an unhandled rejection would end the process.
  observing.Reports.ignore(onLimited?.(ctx))
  if (!throws) return
  // Koa's error handling removes the fields of a response.
  const headers = { ...fields, 'Retry-After': String(after), 'Cache-Control': 'no-store' }
  // The error that is thrown carries the answer as `onLimited` has left it.
  if (typeof ctx.body === 'string') ctx.throw(ctx.status, ctx.body, { headers })
  else ctx.throw(ctx.status, { ...ctx.body, headers })
}
