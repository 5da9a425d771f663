import type { IncomingMessage } from 'node:http'
import { hostNameOf, isLoopbackAddress, isLoopbackName, isOwnOrigin } from '@sluice/core/internal'
import { Problem } from './answer.ts'

/** What a proxy writes: it stands on this machine, and whoever asks it does not. */
const proxyFields = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

type Asking = Pick<IncomingMessage, 'socket' | 'headers'> & Partial<Pick<IncomingMessage, 'method'>>

/**
 * Throws a Problem for whoever is not on this machine, or was sent by somebody who is not: the connection tells the first, the Host
 * field a page whose name was led to this machine, the Origin field a page of another place.
 */
export function checkNeighbour(request: Asking): void {
  const { socket, headers } = request
  if (!isLoopbackAddress(socket.remoteAddress)) throw stranger('its connection comes from elsewhere')
  const proxy = Object.keys(headers).find((name) => proxyFields.test(name))
  if (proxy !== undefined) throw stranger(`its ${proxy} field tells of a proxy`)
  if (!isLoopbackName(hostNameOf(request))) throw stranger('its Host field names no loopback address')
  if (!isOwnOrigin(request)) throw stranger('it comes from a page of another origin')
}

/**
 * Whether a request comes from this machine, and from no page of another place: who may do what only its owner should. Behind a
 * proxy on this machine that adds no field of its own everybody does: let such a one do the authentication.
 *
 * @example dashboard({ recorder, limiters, mayManage: isNeighbour })
 */
export function isNeighbour(request: Asking): boolean {
  try {
    checkNeighbour(request)
    return true
  } catch {
    return false
  }
}

function stranger(why: string): Problem {
  return new Problem(403, `The stand serves this machine only, and this request is refused: ${why}.`)
}
