import type { Subject } from '@sluice/core'
import type { PolicyOrPoliciesOrLimiter } from '@sluice/http'
import { checkArguments } from '@sluice/http/internal'
import { type FetchLimit, limitHandlers } from './rate-limit.ts'
import { besides, type KnownAddress, withAddress } from './request-limit.ts'

/** What Deno hands to a handler besides the request. */
export interface DenoInfo {
  /** Without a `hostname` on a unix socket. */
  readonly remoteAddr: object
}

type Rest = readonly [info: DenoInfo]

function addressOf(_request: Request, info: DenoInfo | undefined): string | undefined {
  const { remoteAddr } = besides(info, 'info')
  return 'hostname' in remoteAddr ? String(remoteAddr.hostname) : undefined
}

/**
 * Rate limiting for `Deno.serve`.
 *
 * @example
 * const limit = rateLimit({ policy: gcra({ count: 100, period: '1m' }) })
 * Deno.serve(limit((request) => new Response('hello')))
 */
export function rateLimit<N extends string = 'default', S = Subject<N>, R extends Request = Request>(
  options: PolicyOrPoliciesOrLimiter<R, N, S> & KnownAddress<R, Rest>,
  ...more: []
): FetchLimit<N, Rest> {
  checkArguments(options, more)
  return limitHandlers(withAddress(options, addressOf))
}
