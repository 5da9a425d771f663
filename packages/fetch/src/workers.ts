import type { Subject } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import type { PolicyOrPoliciesOrLimiter } from '@sluice/http'
import { checkArguments } from '@sluice/http/internal'
import { type FetchLimit, limitHandlers } from './rate-limit.ts'
import { type KnownAddress, withAddress } from './request-limit.ts'

interface Unwaiting {
  /** Not available here: timers belong to the request that has started them, and waits of other requests would never end. */
  maxWait?: undefined
}

/** The address in the field that Cloudflare writes, whatever a client has sent. */
function addressOf(request: Request): string | undefined {
  return request.headers.get('cf-connecting-ip') ?? undefined
}

/**
 * Rate limiting for Cloudflare Workers.
 *
 * @example
 * const limit = rateLimit({ policy: gcra({ count: 100, period: '1m' }) })
 * export default { fetch: limit((request, env, ctx) => new Response('hello')) }
 */
export function rateLimit<N extends string = 'default', S = Subject<N>, R extends Request = Request>(
  options: PolicyOrPoliciesOrLimiter<R, N, S> & KnownAddress<R, readonly []> & Unwaiting,
  ...more: []
): FetchLimit<N, readonly []> {
  checkArguments(options, more)
  if (options?.maxWait !== undefined)
    throw optionError('maxWait', 'nothing here, as no request of a worker can wake another', options.maxWait)
  return limitHandlers(withAddress(options, addressOf))
}
