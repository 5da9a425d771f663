import type { IncomingMessage } from 'node:http'
import { whyNotLocal } from '@sluice/http/internal'

/**
 * Whether a request comes from this machine and from no page of another site: for what only the machine's owner may do. A proxy on
 * this machine that adds no field of its own makes every client local: let such a proxy do the authentication.
 *
 * @example dashboard({ recorder, limiters, mayManage: isLocalRequest })
 */
export function isLocalRequest(
  request: Pick<IncomingMessage, 'socket' | 'headers'> & Partial<Pick<IncomingMessage, 'method'>>,
): boolean {
  return whyNotLocal(request) === undefined
}
