import type { IncomingMessage } from 'node:http'

/** What shows where a request comes from: of Node's own request, or of any that has its headers in lower case. */
interface OriginRequest {
  readonly method?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

/** Whether a connection's address is this machine's own, which no other machine can reach. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return /^(?:(?:::ffff:)?127\.|::1$)/.test(address ?? '')
}

/**
 * The name that a request asks by, out of its Host field or the authority of HTTP/2: lower case, without the port. undefined where
 * there is none. A page whose name was led to another machine (DNS rebinding) cannot make the browser write another.
 *
 * @example
 * hostNameOf({ headers: { host: 'Zoo.example:3000' } }) // 'zoo.example'
 */
export function hostNameOf({ headers }: OriginRequest): string | undefined {
  const host = headers.host ?? headers[':authority']
  if (typeof host !== 'string') return undefined
  return /^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase()
}

/** Whether a name of `hostNameOf` always means this machine: no other machine's name server has a say in it. */
export function isLoopbackName(name: string | undefined): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(name ?? '')
}

/**
 * Whether a request comes from no browser, from a page of this server itself, or from its address typed in: then it may do what only
 * the one who looks at the page may do. A browser names the page that asks (`Sec-Fetch-Site`, or else `Origin`), and no page can make
 * it say otherwise. Only a request that reads counts as typed in. Check `hostNameOf` besides: by a name that was led here (DNS
 * rebinding) every page counts as one of this server.
 *
 * @example
 * if (!isOwnOrigin(request)) return refuse(response, 403)
 */
export function isOwnOrigin(request: OriginRequest): boolean {
  const { 'sec-fetch-site': site, origin, host = request.headers[':authority'] } = request.headers
  if (site === 'same-origin') return true
  if (site !== undefined && !(site === 'none' && onlyReads(request))) return false
  return origin === undefined || isOriginOf(origin, host)
}

function onlyReads({ method }: OriginRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether an origin is that of a host, without its scheme, which a proxy may have changed. */
function isOriginOf(origin: unknown, host: unknown): boolean {
  if (typeof origin !== 'string' || typeof host !== 'string') return false
  const written = /^https?:\/\/([^/?#@]+)$/.exec(origin)?.[1]
  return written !== undefined && written.toLowerCase() === host.toLowerCase()
}

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
