import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { noteServer } from './measure.mjs'

/** jest's global tear-down: ends what redis-start.mjs has started. */
export default async function stopRedis() {
  const { folder, servers } = globalThis.sluiceRedis
  for (const server of servers) {
    if (server.exitCode !== null || server.signalCode !== null) continue
    noteServer('redis', 'a Redis server', server.pid)
    const ended = once(server, 'exit')
    server.ref()
    server.kill()
    await ended
  }
  await rm(folder, { recursive: true, force: true })
}
