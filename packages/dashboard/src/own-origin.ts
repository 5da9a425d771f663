import type { IncomingMessage } from 'node:http'

/**
 * true where the page itself sends it, or no browser does. A browser names the page that asks, and no page can make it say otherwise: a
 * foreign one could act with the cookies of whoever looks at it.
 */
export function isOwnOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host = headers[':authority'] } = headers
  return origin === undefined || (host !== undefined && hostOf(origin) === host)
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host
  } catch {
    return undefined
  }
}
