import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { RedisProcess, until } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { listQueue, processor } from '../../src/index.ts'
import { deadline, newName, quiet } from '../redis-queue.ts'

let server: RedisProcess
let client: Redis
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  client = new Redis(server.url)
})
afterAll(async () => {
  client.disconnect()
  await server.end()
})

/** For longer than a client of our own waits for an answer. */
const pauseMs = 2200

it.each([
  ['a URL', () => server.url],
  ['a client', () => client],
])('over %s an entry is not lost that Redis hands to a process which stands still', async (_over, redis) => {
  const name = newName()
  const queue = listQueue<number>({ name, redis: redis(), limit: 10, deadline, logger: quiet })
  const entries = `sl1:{queue:${name}}:l`
  await queue.offer(7)
  const entry = await client.rpop(entries)
  const done: number[] = []
  const worker = processor(queue, async (job) => void done.push(job), { logger: quiet })
  const isWaiting = async () => String(await client.client('LIST')).includes('cmd=brpop')
  await until(isWaiting, { what: 'the processor to wait' })
  // Timers are next when it goes on, and only then what has come meanwhile.
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      client.lpush(entries, entry ?? '').catch(() => {})
      const endsAt = performance.now() + pauseMs
      while (performance.now() < endsAt);
      resolve()
    })
  })
  await until(async () => done.length > 0, { what: 'the entry' })
  expect(done).toEqual([7])
  await worker.stop()
  await queue.close()
})
