import { type Buried, describeQueue } from '@sluice/conformance/queue'
import type { Redis } from 'ioredis'
import { streamQueue } from '../../src/index.ts'
import { deadline, onRedis, quiet } from '../redis-queue.ts'

async function buriedIn(redis: Redis, name: string): Promise<readonly Buried[]> {
  const letters = await redis.xrange(`sl1:{queue:${name}}:d`, '-', '+')
  return letters.map(([, [, ticket = '', , job = '', , error = '', , attempt]]) => {
    return { ticket, job: JSON.parse(job), attempt: Number(attempt), error }
  })
}

describeQueue('the stream queue', async (wanted) => {
  const subject = onRedis((redis, name) => {
    return streamQueue<unknown, unknown>({ name, redis, deadline, logger: quiet, ...wanted })
  })
  return { ...subject, buried: () => buriedIn(subject.redis, subject.queue.name) }
})
