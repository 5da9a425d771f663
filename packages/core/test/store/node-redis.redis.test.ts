import { describeStore, redisUnderTest } from '@sluice/conformance'
import { socket } from '../redis-socket.ts'

describeStore('redis, through node-redis', () => redisUnderTest(socket, { client: 'node-redis 6' }))
