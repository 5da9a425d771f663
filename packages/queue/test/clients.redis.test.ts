import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { RedisClient } from '@sluice/core'
import {
  type ClusterClientName,
  clusterClientNames,
  connectTo,
  connectToCluster,
  RedisCluster,
  RedisProcess,
} from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { processor, streamQueue } from '../src/index.ts'
import { until } from './stream/opened.ts'

const logger = { warn() {}, error() {} }

/** Offers to a queue whose processor has had its first job, and answers what came of it. */
async function passThrough(redis: RedisClient): Promise<unknown> {
  const name = randomBytes(6).toString('hex')
  const queue = streamQueue<number, number>({ name, redis, limit: 10, deadline: '10s', logger })
  await queue.ready()
  const worker = processor(queue, async (job: number) => job * 2, { logger })
  const first = await queue.offer(1)
  await until(async () => (await queue.health()).done === 1)
  const offers = [first, await queue.offer(2), await queue.offer(3)]
  await until(async () => (await queue.health()).done === 3)
  await worker.stop()
  const results = await Promise.all(
    offers.map((offer) => (offer.allowed ? queue.status(offer.ticket) : offer)),
  )
  await queue.close()
  return results
}

const expected = [2, 4, 6].map((result) => ({ state: 'done', result }))

describe('a stream queue and its processor', () => {
  it.each(clusterClientNames)("work over a caller's own client: %s", async (name) => {
    const { client, end } = await connectTo(name, socket)
    expect(await passThrough(client)).toEqual(expected)
    end()
  })

  it('work over a client that puts a prefix before keys', async () => {
    const client = new Redis({ path: socket, keyPrefix: 'shop:' })
    expect(await passThrough(client)).toEqual(expected)
    client.disconnect()
  })

  it('leave no connection behind', async () => {
    const client = new Redis({ path: socket })
    const connections = async () => String(await client.client('LIST')).split('\n').length
    const before = await connections()
    await passThrough(client)
    expect(await connections()).toBe(before)
    client.disconnect()
  })

  it('work over a client that speaks RESP3', async () => {
    const client = createClient({ socket: { path: socket, tls: false }, RESP: 3 })
    await client.connect()
    expect(await passThrough(client)).toEqual(expected)
    client.destroy()
  })

  it('work over clients of their own', async () => {
    const server = await RedisProcess.prepare()
    await server.start()
    expect(await passThrough(server.url)).toEqual(expected)
    await server.end()
  })
})

describe('on a cluster', () => {
  const cluster = new RedisCluster()
  beforeAll(() => cluster.start())
  afterAll(() => cluster.end())

  it.each<ClusterClientName>([...clusterClientNames])('they work too: %s', async (name) => {
    const { client, end } = await connectToCluster(name, cluster)
    expect(await passThrough(client)).toEqual(expected)
    end()
  })
})
