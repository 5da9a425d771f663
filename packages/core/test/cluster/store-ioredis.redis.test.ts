import { afterAll, beforeAll } from '@jest/globals'
import { describeStore } from '@sluice/conformance'
import { asOneMoreWay } from '@sluice/conformance/internal'
import { clusterUnderTest, RedisCluster } from '@sluice/faults'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

// Of the histories what differs from one server is the way of a call: the scripts are the same.
describeStore('cluster, through ioredis', async () =>
  asOneMoreWay(await clusterUnderTest(cluster, { client: 'ioredis 6' }), 0.02),
)
