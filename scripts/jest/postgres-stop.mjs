import { once } from 'node:events'
import { rm } from 'node:fs/promises'

/** jest's global tear-down: ends what postgres-start.mjs has started. */
export default async function stopPostgres() {
  const { folder, server } = globalThis.sluicePostgres
  if (server.exitCode === null && server.signalCode === null) {
    const ended = once(server, 'exit')
    server.ref()
    // At once, with all connections.
    server.kill('SIGQUIT')
    await ended
  }
  await rm(folder, { recursive: true, force: true })
}
