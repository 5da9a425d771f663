import { once } from 'node:events'
import { rm } from 'node:fs/promises'

/** jest's global tear-down: ends what redis-start.mjs has started. */
export default async function stopRedis() {
  const { folder, servers } = globalThis.sluiceRedis
  for (const server of servers) {
    if (server.exitCode !== null || server.signalCode !== null) continue
    const ended = once(server, 'exit')
    server.ref()
    server.kill()
    await ended
  }
  await rm(folder, { recursive: true, force: true })
}
