import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import { listQueue, type Queue, streamQueue } from '../../src/index.ts'
import { quiet } from '../redis-queue.ts'

let server: RedisProcess
let client: Redis
beforeEach(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  client = new Redis(server.url)
})
afterEach(async () => {
  client.disconnect()
  await server.end()
})

const about = { name: 'jobs', limit: 5, logger: quiet }

it.each<[string, () => Queue<number, unknown>]>([
  ['list', () => listQueue<number>({ ...about, redis: client })],
  ['stream', () => streamQueue<number, unknown>({ ...about, redis: client })],
])(
  'a %s hands nothing out when a Redis goes on that hung for longer than its processor waits',
  async (_form, open) => {
    const queue = open()
    for (let job = 1; job <= 3; job++) expect(await queue.offer(job)).toMatchObject({ allowed: true })
    const member = queue.jobs.join({ idleClaimMs: 30_000, maxAttempts: 3 })
    const { signal } = new AbortController()
    const [first] = await member.take(1, signal)
    expect(first).toMatchObject({ job: 1 })
    server.hang()
    await expect(member.take(9, signal)).rejects.toThrow('no answer')
    server.goOn()
    expect(await member.take(9, signal)).toMatchObject([{ job: 2 }, { job: 3 }])
    await member.leave({ unstarted: [], running: [] })
    await queue.close()
  },
)
