import type { IncomingMessage } from 'node:http'

/**
 * Where a request leads: frameworks leave the path of the mount in front of `url` or cut it off, so that the last segment counts.
 * `redirect`: the page itself was asked for without the slash behind it, and its links would lead astray.
 */
export type Route = { readonly name: string; readonly query: URLSearchParams } | { readonly redirect: string }

/** A segment that may be the mount's own name; nothing in it has a meaning in an address. */
const plainName = /^[\w~-]{1,100}$/

export function routeOf(request: IncomingMessage, isKnown: (name: string) => boolean): Route | undefined {
  const [path, query] = partsOf(request.url)
  const name = lastOf(path)
  const asked = beforeCut(request)
  if (name === '' && asked !== undefined) return pageOf(lastOf(partsOf(asked)[0]), query)
  if (isKnown(name)) return { name, query: new URLSearchParams(query) }
  return asked === undefined ? pageOf(name, query) : undefined
}

/** Express cuts off the mount; what the client has asked for shows whether a slash stood behind it. */
function beforeCut(request: IncomingMessage): string | undefined {
  if (!('originalUrl' in request) || typeof request.originalUrl !== 'string') return undefined
  return request.originalUrl === request.url ? undefined : request.originalUrl
}

function pageOf(name: string, query: string): Route | undefined {
  if (name === '') return { name, query: new URLSearchParams(query) }
  // Relative, so that it holds behind a proxy that has cut something off as well.
  return plainName.test(name) ? { redirect: `./${name}/` } : undefined
}

function partsOf(url: string | undefined): readonly [path: string, query: string] {
  const [path = '', query = ''] = (url ?? '/').split('?', 2)
  return [path, query]
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
