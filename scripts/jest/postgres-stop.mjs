import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { noteServer } from './measure.mjs'

/** jest's global tear-down: ends what postgres-start.mjs has started. */
export default async function stopPostgres() {
  const { folder, server } = globalThis.sluicePostgres
  if (server.exitCode === null && server.signalCode === null) {
    noteServer('postgres', 'the PostgreSQL server', server.pid)
    const ended = once(server, 'exit')
    server.ref()
    // At once, with all connections.
    server.kill('SIGQUIT')
    await ended
  }
  await rm(folder, { recursive: true, force: true })
}
