import { afterAll, beforeAll } from '@jest/globals'
import { describeStore } from '@sluice/conformance'
import { throughAnotherClient } from '@sluice/conformance/internal'
import { clusterUnderTest, RedisCluster } from '@sluice/faults'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

describeStore('cluster, through node-redis', async () =>
  throughAnotherClient(await clusterUnderTest(cluster, { client: 'node-redis 6' })),
)
