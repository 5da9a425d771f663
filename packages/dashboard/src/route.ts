import type { IncomingMessage } from 'node:http'

/**
 * Routes a request by its last segment, as frameworks either keep the path of the mount in `url` or cut it off.
 * `redirect`: the page was asked for without its final slash, so that its links would lead elsewhere.
 */
export type Route = { readonly name: string; readonly query: URLSearchParams } | { readonly redirect: string }

/** A segment that may be the mount's own name, and is safe in an address. */
const plainName = /^[\w~-]{1,100}$/

export function routeOf(request: IncomingMessage, isKnown: (name: string) => boolean): Route | undefined {
  const [path, query] = partsOf(request.url)
  const name = lastOf(path)
  const asked = beforeCut(request)
  if (name === '' && asked !== undefined) return pageOf(lastOf(partsOf(asked)[0]), query)
  if (isKnown(name)) return { name, query: new URLSearchParams(query) }
  return asked === undefined ? pageOf(name, query) : undefined
}

/** Express cuts off the mount; the client's own URL shows whether it ended with a slash. */
function beforeCut(request: IncomingMessage): string | undefined {
  if (!('originalUrl' in request) || typeof request.originalUrl !== 'string') return undefined
  return request.originalUrl === request.url ? undefined : request.originalUrl
}

function pageOf(name: string, query: string): Route | undefined {
  if (name === '') return { name, query: new URLSearchParams(query) }
  // Relative, so that it also holds behind a proxy that cuts off a prefix.
  return plainName.test(name) ? { redirect: `./${name}/` } : undefined
}

function partsOf(url: string | undefined): readonly [path: string, query: string] {
  const [path = '', query = ''] = (url ?? '/').split('?', 2)
  return [path, query]
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
