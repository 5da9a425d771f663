import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { redisStore, type Store } from '../../src/index.ts'
import type { Client } from './start-settings.ts'

/** On a client that nobody waits for. */
export function openStore(client: Client, url: string): { store: Store; end: () => unknown } {
  if (client === 'ioredis') {
    const own = new Redis(url)
    return { store: redisStore(own), end: () => own.disconnect() }
  }
  const own = createClient({ url })
  own.on('error', () => {})
  void own.connect()
  return { store: redisStore(own), end: () => own.destroy() }
}
