import type { Subject } from '@sluice/core'
import { codedTypeError, optionError } from '@sluice/core/internal'
import type { PolicyOrPoliciesOrLimiter } from '@sluice/http'
import { checkArguments, type Work } from '@sluice/http/internal'
import type { Platform } from './facts.ts'
import {
  type AddressOptions,
  bare,
  type FetchHandle,
  failed,
  RequestLimit,
  refusalResponse,
} from './request-limit.ts'

/**
 * Puts a limiter around handlers; all of them share its count. `Rest` is what `ip` needs besides the request, and a
 * handler may get more; `Nothing` is what handlers of the platform may return instead of a Response.
 */
export interface FetchLimit<N extends string, Rest extends readonly unknown[], Nothing = never>
  extends FetchHandle<Request, N, Rest> {
  <R extends Request, All extends readonly [...Rest, ...unknown[]], Answer extends Response | Nothing>(
    handler: (request: R, ...rest: All) => Answer | Promise<Answer>,
  ): (request: R, ...rest: All) => Promise<Response | Exclude<Answer, Response>>
}

const aHandler =
  "a function that answers a Request; a middleware is made by the framework's own entry, as @sluice/fetch/hono"

type Handler = (request: Request, ...rest: readonly unknown[]) => unknown

/** Runs a handler; a client that hangs up ends the response, but not the work in it. */
async function run(
  work: Work | undefined,
  handler: Handler,
  [request, rest]: readonly [Request, readonly unknown[]],
): Promise<unknown> {
  if (work === undefined) return handler(request, ...rest)
  work.begin()
  try {
    return await handler(request, ...rest)
  } finally {
    work.end()
  }
}

/** Whether a value is a Response, also one of another realm or of a platform's own class. */
function isResponse(value: unknown): value is Response {
  if (value instanceof Response) return true
  if (typeof value !== 'object' || value === null) return false
  const { status, headers } = value as Partial<Response> // each is looked at
  return typeof status === 'number' && typeof headers?.has === 'function'
}

function noResponse(value: unknown): TypeError {
  const got = value === null ? 'null' : typeof value === 'object' ? 'an object of another kind' : typeof value
  const message = `the limited handler must return a Response, got ${got}: return new Response(…), or Response.json(…) for data`
  return codedTypeError(message, { code: 'SLUICE_NO_RESPONSE' })
}

interface Handlers {
  readonly platform?: Platform<Request>
  /** Whether a handler may return nothing: the platform then answers by itself, with 101. */
  readonly mayReturnNothing?: boolean
}

/** Puts one limiter around handlers. */
export function limitHandlers<L>(
  options: object,
  { platform = bare, mayReturnNothing = false }: Handlers = {},
): L {
  const limit = new RequestLimit<Request>(options, platform)

  function rateLimit(handler: Handler): (request: Request, ...rest: unknown[]) => Promise<unknown> {
    if (typeof handler !== 'function') throw optionError('handler', aHandler, handler)
    return async function limited(request, ...rest) {
      const passage = limit.enter(request, rest)
      let response: unknown
      try {
        const { refusal, work } = await limit.ask(passage, request, rest)
        response = refusal === null ? await run(work, handler, [request, rest]) : refusalResponse(refusal)
        if (!isResponse(response) && !(mayReturnNothing && response === undefined)) throw noResponse(response)
      } catch (thrown) {
        failed(thrown, request, passage)
        throw thrown
      }
      return isResponse(response) ? passage.leave(response) : passage.leaveWithout(101)
    }
  }

  return limit.handle(rateLimit) as L // as its platform writes handlers
}

/**
 * Rate limiting for Web-standard handlers, on any platform: `ip` finds the address of a request there.
 *
 * @example
 * const limit = rateLimit({
 *   policy: gcra({ count: 100, period: '1m' }),
 *   ip: (_request, info: { remoteAddr: { hostname: string } }) => info.remoteAddr.hostname,
 * })
 * Deno.serve(limit((request) => new Response('hello')))
 */
export function rateLimit<
  N extends string = 'default',
  S = Subject<N>,
  Rest extends readonly unknown[] = readonly [],
  R extends Request = Request,
>(options: PolicyOrPoliciesOrLimiter<R, N, S> & AddressOptions<R, Rest>, ...more: []): FetchLimit<N, Rest> {
  checkArguments(options, more)
  return limitHandlers(options)
}
