import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Start, webSite } from '@sluice/conformance/adapter'
import { decisionOf, fieldsOf, rateLimit } from '../src/index.ts'
import { listen } from './listen.ts'

type Shown = Partial<HttpBindings>

/** How much of Node's own request and response a server shows to its handlers. */
const views = {
  both: ({ incoming, outgoing }: HttpBindings): Shown => ({ incoming, outgoing }),
  request: ({ incoming }: HttpBindings): Shown => ({ incoming }),
  nothing: (): Shown => ({}),
}

/** Builds sites of handlers on a server that speaks in Web-standard requests. */
export function startShowing(view: keyof typeof views): Start {
  return async (site) => {
    const all = new WeakMap<Shown, HttpBindings>()
    const addressOf = (_: Request, shown: Shown) => all.get(shown)?.incoming.socket.remoteAddress
    const { fetch, handles } = webSite<[Shown]>(site, {
      rateLimit: (options, proxies) =>
        rateLimit<string, unknown, [Shown]>({ ...options, ip: addressOf, proxies }),
      decisionOf,
      fieldsOf,
      rawOf: (_, shown) => all.get(shown)?.outgoing as ServerResponse, // each request has one
    })
    const answer = (request: Request, bindings: HttpBindings) => {
      const shown = views[view](bindings)
      all.set(shown, bindings)
      return fetch(request, shown)
    }
    return { handles, ...(await listen(site, answer, { overrideGlobalObjects: false })) }
  }
}
