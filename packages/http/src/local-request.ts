import type { IncomingMessage } from 'node:http'
import { hostNameOf, isLoopbackAddress, isLoopbackName, isOwnOrigin } from './own-origin.ts'

/** Fields that a proxy adds: the proxy runs on this machine, its clients may not. */
const proxyFields = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

type Incoming = Pick<IncomingMessage, 'socket' | 'headers'> & Partial<Pick<IncomingMessage, 'method'>>

/**
 * Why a request is not one of this machine; undefined where it is. The connection shows a remote client, the Host field a page whose
 * name was led to this machine (DNS rebinding), the Origin field a page of another site.
 */
export function whyNotLocal(request: Incoming): string | undefined {
  const { socket, headers } = request
  if (!isLoopbackAddress(socket.remoteAddress)) return 'its connection comes from elsewhere'
  const proxy = Object.keys(headers).find((name) => proxyFields.test(name))
  if (proxy !== undefined) return `its ${proxy} field names a proxy`
  if (!isLoopbackName(hostNameOf(request))) return 'its Host field names no loopback address'
  if (!isOwnOrigin(request)) return 'it comes from a page of another origin'
  return undefined
}

/**
 * Whether a request comes from this machine and from no page of another site: for what only the machine's owner may do. A proxy on
 * this machine that adds no field of its own makes every client local: let such a proxy do the authentication.
 *
 * @example dashboard({ recorder, limiters, mayManage: isLocalRequest })
 */
export function isLocalRequest(request: Incoming): boolean {
  return whyNotLocal(request) === undefined
}
