import { describeStore } from '@sluice/conformance'
import { redisUnderTest, withFewerHistories } from '@sluice/faults'
import { socket } from '../redis-socket.ts'

describeStore('redis, through node-redis', async () =>
  withFewerHistories(await redisUnderTest(socket, { client: 'node-redis 6' })),
)
