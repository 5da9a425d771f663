import type { Client } from './client.ts'
import type { Exchange } from './site.ts'

/** Sends a request and breaks the connection as soon as `broken` says so. */
export function aborted(client: Client, broken: Promise<unknown>): void {
  const request = client.open()
  request.on('error', () => {})
  void broken.then(() => request.destroy())
}

/** When the connection of a request is gone, or its answer sent. */
export function closeOf({ raw }: Exchange): Promise<void> {
  return new Promise((resolve) => raw.once('close', resolve))
}
