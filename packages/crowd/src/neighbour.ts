import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Problem } from './answer.ts'

const loopbackAddress = /^(?:(?:::ffff:)?127\.|::1$)/
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
/** What a proxy writes: it stands on this machine, and whoever asks it does not. */
const proxyFields = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/

type Asking = Pick<IncomingMessage, 'socket' | 'headers'>

/**
 * Throws a Problem for whoever is not on this machine, or was sent by somebody who is not: the connection tells the first, the Host
 * field a page whose name was led to this machine, the Origin field a page of another place.
 */
export function checkNeighbour({ socket, headers }: Asking): void {
  if (!loopbackAddress.test(socket.remoteAddress ?? '')) throw stranger('its connection comes from elsewhere')
  const proxy = Object.keys(headers).find((name) => proxyFields.test(name))
  if (proxy !== undefined) throw stranger(`its ${proxy} field tells of a proxy`)
  const { host = '' } = headers
  if (!loopbackHost.test(host)) throw stranger('its Host field names no loopback address')
  if (!isOwnOrigin(headers, host)) throw stranger('it comes from a page of another origin')
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

function isOwnOrigin({ origin }: IncomingHttpHeaders, host: string): boolean {
  if (origin === undefined) return true
  const own = host.toLowerCase()
  return origin === `http://${own}` || origin === `https://${own}`
}

function stranger(why: string): Problem {
  return new Problem(403, `The stand serves this machine only, and this request is refused: ${why}.`)
}
