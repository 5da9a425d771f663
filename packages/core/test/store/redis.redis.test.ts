import { describeStore } from '@sluice/conformance'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '../redis-socket.ts'

describeStore('redis', () => redisUnderTest(socket))
