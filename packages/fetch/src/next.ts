import type { Subject } from '@sluice/core'
import type { PolicyOrPoliciesOrLimiter } from '@sluice/http'
import { checkArguments } from '@sluice/http/internal'
import { madeAnew } from './next-reload.ts'
import { fieldsBeingMade, noteResponses, requestBeingAnswered } from './node-responses.ts'
import { type FetchLimit, limitHandlers } from './rate-limit.ts'
import { type AddressOptions, bare } from './request-limit.ts'

/** Around a route handler; called without one it is a whole `proxy` (`middleware` before Next.js 16). */
export interface NextLimit<N extends string> extends FetchLimit<N, readonly []> {
  (): (request: Request) => Promise<Response>
}

/** Next.js writes the fields that the proxy has set before a route handler runs, and then drops the same fields of the handler's answer. */
const platform = { ...bare, nodeOf: requestBeingAnswered, earlierFields: fieldsBeingMade }

/** What `NextResponse.next()` returns: the request goes on, and its response gets the fields. */
function goOn(): Response {
  return new Response(null, { headers: { 'x-middleware-next': '1' } })
}

/**
 * Rate limiting for Next.js, which does not tell the client's address: `ip` and `proxies` say where it is found.
 *
 * @example
 * const limit = rateLimit({ policy: gcra({ count: 100, period: '1m' }), ip: () => undefined, proxies: 1 })
 * export const GET = limit(() => Response.json({ hello: 'zoo' })) // app/api/hello/route.ts
 */
export function rateLimit<N extends string = 'default', S = Subject<N>, R extends Request = Request>(
  options: PolicyOrPoliciesOrLimiter<R, N, S> & AddressOptions<R, readonly []>,
  ...more: []
): NextLimit<N> {
  checkArguments(options, more)
  const limit = madeAnew((options as { readonly name?: string } | undefined)?.name ?? 'default', () =>
    limitHandlers<FetchLimit<N, readonly []>>(options, { platform }),
  )
  noteResponses()
  const { limiter, keyOf, decisionFor } = limit
  const withoutHandler = (handler: (request: Request) => Response = goOn) => limit(handler)
  return Object.assign(withoutHandler, { limiter, keyOf, decisionFor }) as NextLimit<N> // any handler goes through
}
