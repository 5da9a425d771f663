import { type Decision, isRefusedError, type RefusedError, type Subject } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import type { PolicyOrPoliciesOrLimiter, Refusal } from '@sluice/http'
import { checkArguments } from '@sluice/http/internal'
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { StatusCode } from 'hono/utils/http-status'
import type { Platform } from './facts.ts'
import { hasNoBody, type Passage } from './passage.ts'
import { type AddressOptions, decisionOf, type FetchHandle, RequestLimit } from './request-limit.ts'

// biome-ignore lint/suspicious/noExplicitAny: a middleware for applications of any environment
type AnyContext = Context<any, any, any>

declare module 'hono' {
  interface ContextVariableMap {
    /** The binding decision so far; undefined when skipped. */
    rateLimit: Decision | undefined
  }
}

const hono: Platform<AnyContext> = {
  requestOf: (c) => c.req.raw,
  nodeOf: (c) => c.env,
  // The last route that matches is the handler's; that of a middleware alone ends with an asterisk.
  routeOf: (c) => matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path,
}

/** Writes the fields for an answer that Hono makes, such as that of an error handler. */
function writeFields(c: AnyContext, passage: Passage): void {
  const { headers } = c.res
  for (const [name, value] of passage.fields) if (!headers.has(name)) headers.set(name, value)
}

/** The response of a refusal, with the headers that were set before, as Hono's answers have them. */
function refuse(c: AnyContext, { status, type, body }: Readonly<Refusal>): Response {
  const code = status as StatusCode // whichever there are
  return c.newResponse(hasNoBody(status) ? null : body, code, { 'Content-Type': type })
}

/** Gives an error a response, as Hono's HTTPException has one: an application without an error handler answers with it. */
function withResponse(refused: RefusedError): RefusedError {
  const { message, status } = refused
  return Object.assign(refused, { getResponse: () => new Response(message, { status }) })
}

const ofHono = 'a context of Hono: other frameworks have packages and entries of their own'

/**
 * Rate limiting for Hono: a middleware for all routes or for one. `ip` is `getConnInfo` of the platform.
 *
 * @example
 * app.use(rateLimit({ policy: gcra({ count: 100, period: '1m' }), ip: (c) => getConnInfo(c).remote.address }))
 */
export function rateLimit<N extends string = 'default', S = Subject<N>>(
  options: PolicyOrPoliciesOrLimiter<AnyContext, N, S> & AddressOptions<AnyContext, readonly []>,
  ...more: []
  // biome-ignore lint/suspicious/noExplicitAny: a middleware for applications of any environment
): MiddlewareHandler<any> & FetchHandle<AnyContext, N, readonly []> {
  checkArguments(options, more)
  const limit = new RequestLimit<AnyContext>(options, hono)

  const rateLimit: MiddlewareHandler = async (c, next) => {
    if (c.req?.raw === undefined) throw optionError('c', ofHono, c)
    const passage = limit.enter(c, [])
    try {
      const { refusal, work } = await limit.ask(passage, c, [])
      c.set('rateLimit', decisionOf(c))
      if (refusal !== null) return passage.leave(refuse(c, refusal))
      work?.begin()
      try {
        await next()
      } finally {
        work?.end()
      }
    } catch (thrown) {
      c.set('rateLimit', decisionOf(c))
      writeFields(c, passage)
      passage.leaveWithout(500)
      throw isRefusedError(thrown) ? withResponse(thrown) : thrown
    }
    if (c.finalized) return leave(c, passage)
    // No handler has answered: Hono answers with an error.
    writeFields(c, passage)
    passage.leaveWithout(500)
  }

  return limit.handle(rateLimit)
}

/** The field that marks RESPONSE_ALREADY_SENT. There is only one such object: Hono's server for Node would send a copy of it. */
const alreadySent = 'x-hono-already-sent'

function leave(c: AnyContext, passage: Passage): void {
  if (c.res.headers.has(alreadySent)) {
    passage.leaveWithout(c.res.status)
    return
  }
  const response = passage.leave(c.res)
  if (response === c.res) return
  // Otherwise Hono would copy the headers of the response before.
  c.res = undefined
  c.res = response
}
