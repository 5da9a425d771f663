import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import { requestMs } from '../decide.ts'
import type { Tls } from '../secrets/tls.ts'

/**
 * A server with TLS if there are files for it; connections that begin after a change get the new ones. A client without a certificate is
 * let in, as probes have none: what it may ask is decided by path.
 */
export function serverOf(tls: Tls | undefined, settings: ServerOptions): Server | SecureServer {
  if (tls === undefined) return createServer(settings)
  const { files, asksClients } = tls
  const server = createSecureServer({
    ...settings,
    ...files.value,
    requestCert: asksClients,
    rejectUnauthorized: false,
    handshakeTimeout: requestMs,
  })
  files.whenChanged((context) => server.setSecureContext(context))
  return server
}
