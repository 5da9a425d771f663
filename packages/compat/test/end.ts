import { redisStore } from '@sluice/core'
import type { Redis } from 'ioredis'

/** Ends a client with the store that limiters have made on it, which would go on asking whether the server is back. */
export async function end(client: Redis): Promise<void> {
  await redisStore(client).close()
  client.disconnect()
}
