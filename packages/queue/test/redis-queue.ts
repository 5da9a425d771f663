import { randomBytes } from 'node:crypto'
import type { QueueUnderTest } from '@sluice/conformance/queue'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import type { Queue } from '../src/index.ts'

export const quiet = { warn: (): void => {}, error: (): void => {} }
/** Where it is not the deadline that is tested, a busy machine is to make no difference. */
export const deadline = '10s'

/** No two tests share a queue. */
export function newName(): string {
  return `test-${randomBytes(6).toString('hex')}`
}

/** A queue on a client of its own, closed with it. */
export function onRedis(make: (redis: Redis, name: string) => Queue<unknown, unknown>): QueueUnderTest & {
  readonly redis: Redis
} {
  const redis = new Redis({ path: socket })
  const queue = make(redis, newName())
  return {
    redis,
    queue,
    async close() {
      await queue.close()
      redis.disconnect()
    },
  }
}
