import { createServer, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { type Start, webSite } from '@sluice/conformance/adapter'
import { decisionOf, fieldsOf, rateLimit } from '../src/index.ts'

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
    const server = createAdaptorServer({
      fetch: ((request: Request, bindings: HttpBindings) => {
        const shown = views[view](bindings)
        all.set(shown, bindings)
        return fetch(request, shown)
      }) as never,
      overrideGlobalObjects: false,
      hostname: 'zoo',
      createServer: (site.http2 ? createHttp2Server : createServer) as typeof createServer,
    }) as ReturnType<typeof createServer>
    await new Promise<void>((resolve) => server.listen(site.listen, resolve))
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
    return { server, handles, close }
  }
}
