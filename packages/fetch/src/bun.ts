import type { Subject } from '@sluice/core'
import type { PolicyOrPoliciesOrLimiter } from '@sluice/http'
import { type FetchLimit, limitHandlers } from './rate-limit.ts'
import { type KnownAddress, withAddress } from './request-limit.ts'

/** What Bun hands to a handler besides the request. */
export interface BunServer {
  requestIP(request: Request): { readonly address: string } | null
}

type Rest = readonly [server: BunServer]

function addressOf(request: Request, server: BunServer): string | undefined {
  return server.requestIP(request)?.address
}

/**
 * Rate limiting for `Bun.serve`: its `fetch`, and its routes. A handler may return nothing where it has upgraded the request.
 *
 * @example
 * const limit = rateLimit({ policy: gcra({ count: 100, period: '1m' }) })
 * Bun.serve({ fetch: limit((request) => new Response('hello')) })
 */
export function rateLimit<N extends string = 'default', S = Subject<N>>(
  options: PolicyOrPoliciesOrLimiter<Request, N, S> & KnownAddress<Request, Rest>,
): FetchLimit<N, Rest, undefined> {
  return limitHandlers(withAddress(options, addressOf), { mayReturnNothing: true })
}
