import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { listening, type Running, type Site } from '@sluice/conformance/adapter'

export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** A server of Node's own that listens where the site says. */
export async function serve(site: Site, listener: Listener): Promise<Omit<Running, 'handles'>> {
  const create = (site.http2 ? createHttp2Server : createServer) as typeof createServer
  const server = create((request, response) => void listener(request, response))
  return listening(server, site.listen)
}
