import type { Subject } from '@sluice/core'
import type { PolicyOrPoliciesOrLimiter } from '@sluice/http'
import { checkArguments } from '@sluice/http/internal'
import type { Platform } from './facts.ts'
import { type FetchLimit, limitHandlers } from './rate-limit.ts'
import { bare, besides, type KnownAddress, withAddress } from './request-limit.ts'

/** What Bun hands to a handler besides the request. */
export interface BunServer {
  requestIP(request: Request): { readonly address: string } | null
  /** undefined: it listens on a unix socket. */
  readonly port?: number | undefined
}

type Rest = readonly [server: BunServer]

function addressOf(request: Request, server: BunServer | undefined): string | undefined {
  return besides(server, 'server').requestIP(request)?.address
}

const platform: Platform<Request> = {
  ...bare,
  isReset(request, [server]) {
    const { port, requestIP } = (server ?? {}) as Partial<BunServer> // Bun hands it over
    return port !== undefined && requestIP?.call(server, request) === null
  },
}

/**
 * Rate limiting for `Bun.serve`: its `fetch`, and its routes. A handler may return nothing where it has upgraded the request.
 *
 * @example
 * const limit = rateLimit({ policy: gcra({ count: 100, period: '1m' }) })
 * Bun.serve({ fetch: limit((request) => new Response('hello')) })
 */
export function rateLimit<N extends string = 'default', S = Subject<N>, R extends Request = Request>(
  options: PolicyOrPoliciesOrLimiter<R, N, S> & KnownAddress<R, Rest>,
  ...more: []
): FetchLimit<N, Rest, undefined> {
  checkArguments(options, more)
  return limitHandlers(withAddress(options, addressOf), { platform, mayReturnNothing: true })
}
