/** In the syntax of Express and Fastify. */
export const ticketsRoute = '/crowd/:run/tickets'

const tickets = /^\/crowd\/([^/]+)\/tickets$/
const runs = /^\/crowd(?:\/([^/]+))?$/

export type Place =
  | { readonly kind: 'tickets'; readonly run: string }
  | { readonly kind: 'endpoint'; readonly run: string | undefined }
  | { readonly kind: 'dashboard' }
  | { readonly kind: 'elsewhere' }

/** The run in the path of a request for a ticket. */
export function ticketsRun(path: string): string | undefined {
  return tickets.exec(path)?.[1]
}

/** What a request's URL leads to. */
export function placeOf(url: string): Place {
  const [path = ''] = url.split('?')
  const run = ticketsRun(path)
  if (run !== undefined) return { kind: 'tickets', run }
  const other = runs.exec(path)
  if (other !== null) return { kind: 'endpoint', run: other[1] }
  if (/^\/dashboard(?:\/|$)/.test(path)) return { kind: 'dashboard' }
  return { kind: 'elsewhere' }
}
