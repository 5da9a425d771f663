import { describeStore, redisUnderTest } from '@sluice/conformance'
import { socket } from '../redis-socket.ts'

describeStore('redis', () => redisUnderTest(socket))
