import net from 'node:net'
import type { Client } from './client.ts'
import { type RawRequest, rawRequest } from './raw.ts'
import type { Exchange } from './site.ts'

/** Sends a request and breaks the connection as soon as `broken` says so. */
export function aborted(client: Client, broken: Promise<unknown>, path?: string): void {
  const request = client.open({ alone: true, ...(path === undefined ? {} : { path }) })
  request.on('error', () => {})
  void broken.then(() => request.destroy())
}

/** Sends a request and resets its connection at once: a server on Linux reads all of it, from nobody. */
export function sentAndReset(client: Client, request?: RawRequest): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(client.target)
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(rawRequest(request), () => socket.resetAndDestroy())
  })
}

/** When the connection of a request is gone, or its answer sent. */
export function closeOf({ raw }: Pick<Exchange, 'raw'>): Promise<void> {
  return new Promise((resolve) => raw.once('close', resolve))
}

/** As a log does: an address that was read before its client has gone is known behind that, too. */
export function readAddress({ raw }: Exchange): string | undefined {
  return raw.req.socket.remoteAddress
}
