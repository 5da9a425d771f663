import { describeStrategy } from '@sluice/conformance'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { countingWindow } from '../../src/fastify-rate-limit/counting-window.ts'
import { countingVectors } from './counting-vectors.ts'

describeStrategy(countingWindow, {
  vectors: countingVectors,
  stores: { redis: () => redisUnderTest(socket) },
})
