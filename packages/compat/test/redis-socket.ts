import path from 'node:path'
import { redisStore } from '@sluice/core'
import type { Redis } from 'ioredis'

const { SLUICE_TEST_REDIS_DIR = '', JEST_WORKER_ID = '' } = process.env

/** This worker's own Redis server, as jest's set-up has started it. */
export const socket: string = path.join(SLUICE_TEST_REDIS_DIR, `${JEST_WORKER_ID}.sock`)

/** Ends a client with the store that limiters have made on it, which would go on asking whether the server is back. */
export async function end(client: Redis): Promise<void> {
  await redisStore(client).close()
  client.disconnect()
}
