import { afterAll, beforeAll } from '@jest/globals'
import { describeStore, memoryUnderTest } from '@sluice/conformance'
import { acrossSlots, asOneMoreWay, describeSameRows } from '@sluice/conformance/internal'
import { clusterUnderTest, RedisCluster, spreadOut } from '@sluice/faults'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

describeStore('cluster, each policy in a slot of its own', async () =>
  asOneMoreWay(spreadOut(await clusterUnderTest(cluster, { client: 'ioredis 5' }))),
)
describeSameRows(
  'memory and several slots agree',
  [memoryUnderTest, async () => spreadOut(await clusterUnderTest(cluster, { client: 'node-redis 5' }))],
  acrossSlots,
)
