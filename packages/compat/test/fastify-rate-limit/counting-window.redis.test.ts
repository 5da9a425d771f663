import { describeStrategy } from '@sluice/conformance'
import { redisUnderTest } from '@sluice/faults'
import { countingWindow } from '../../src/fastify-rate-limit/counting-window.ts'
import { socket } from '../redis-socket.ts'
import { countingVectors } from './counting-vectors.ts'

describeStrategy(countingWindow, {
  vectors: countingVectors,
  stores: { redis: () => redisUnderTest(socket) },
})
