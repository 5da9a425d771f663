import { describeStore } from '@sluice/conformance'
import { redisUnderTest, withFewerHistories } from '@sluice/faults'
import { socket } from '../redis-socket.ts'

describeStore('redis', async () => withFewerHistories(await redisUnderTest(socket), 0.3))
