import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { type Start, webSite } from '@sluice/conformance/adapter'
import { decisionOf, fieldsOf, rateLimit } from '../src/index.ts'

const ip = (_: Request, bindings: { incoming: IncomingMessage }) => bindings.incoming.socket.remoteAddress

/** Builds sites of handlers on a server that speaks in Web-standard requests. */
export const start: Start = async (site) => {
  const { fetch, handles } = webSite<[HttpBindings]>(site, {
    rateLimit: (options, proxies) => rateLimit<string, unknown, [HttpBindings]>({ ...options, ip, proxies }),
    decisionOf,
    fieldsOf,
    rawOf: (_, { outgoing }) => outgoing,
  })
  const server = createAdaptorServer({
    fetch: fetch as never,
    overrideGlobalObjects: false,
    hostname: 'zoo',
    createServer: (site.http2 ? createHttp2Server : createServer) as typeof createServer,
  }) as ReturnType<typeof createServer>
  await new Promise<void>((resolve) => server.listen(site.listen, resolve))
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { server, handles, close }
}
