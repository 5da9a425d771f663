import { describeStore } from '@sluice/conformance'
import { throughAnotherClient } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'

describeStore('redis, through node-redis', async () =>
  throughAnotherClient(await redisUnderTest(socket, { client: 'node-redis 6' })),
)
