import { once } from 'node:events'
import type { Server } from 'node:net'

/** Listens on this machine; 0 is any free port. Resolves to the port. */
export async function listenAt(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port is a number')
  return address.port
}
