import { Redis } from 'ioredis'
import type { ClientName, Place } from './work.ts'

/** A connection to the bench's server, or this process's memory. */
export async function openPlace(client: ClientName | 'memory', url: string): Promise<Place> {
  if (client === 'memory') return { kind: 'memory' }
  if (client !== 'node-redis') {
    const enableAutoPipelining = client === 'ioredis with enableAutoPipelining'
    return { kind: 'ioredis', client: new Redis(url, { enableAutoPipelining }) }
  }
  const { createClient } = await import('redis')
  const made: NodeRedis = createClient({ url })
  await made.connect()
  return { kind: 'node-redis', client: made }
}

type NodeRedis = Extract<Place, { kind: 'node-redis' }>['client']
