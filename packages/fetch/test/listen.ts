import { createServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { listening, type Running, type Site } from '@sluice/conformance/adapter'

/** A server of @hono/node-server as a site asks for it, and how its users close it. */
export async function listen(
  site: Site,
  fetch: (request: Request, bindings: HttpBindings) => Response | Promise<Response>,
  options: { readonly overrideGlobalObjects?: boolean } = {},
): Promise<Pick<Running, 'server' | 'close'>> {
  const server = createAdaptorServer({
    fetch: fetch as never,
    ...options,
    hostname: 'zoo',
    createServer: (site.http2 ? createHttp2Server : createServer) as typeof createServer,
  }) as ReturnType<typeof createServer>
  return listening(server, site.listen)
}
