import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe } from '@jest/globals'
import { connectToCluster, RedisCluster } from '@sluice/faults'
import { redisSink } from '../../src/index.ts'
import { describeEvents, describeSink, subjectOf } from './describe-sink.ts'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

describe.each(['ioredis 6', 'node-redis 6'] as const)('through %s', (name) => {
  let connected: Awaited<ReturnType<typeof connectToCluster>>
  beforeAll(async () => {
    connected = await connectToCluster(name, cluster)
  })
  afterAll(() => connected.end())

  for (const describeEach of [describeSink, describeEvents])
    describeEach('the sink in plain Redis on a cluster', async () => {
      const options = {
        redis: connected.client,
        prefix: `test-${randomBytes(6).toString('hex')}:`,
        deadline: '20s' as const,
      }
      return subjectOf([redisSink(options), redisSink(options)])
    })
})
