import { describeStore } from '@sluice/conformance'
import { glideUnderTest, withFewerHistories } from '@sluice/faults'
import { socket } from '../redis-socket.ts'

describeStore('redis, through Valkey GLIDE', async () => withFewerHistories(await glideUnderTest(socket)))
