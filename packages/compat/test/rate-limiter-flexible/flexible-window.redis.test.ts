import { describeStrategy } from '@sluice/conformance'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { flexibleWindow } from '../../src/rate-limiter-flexible/flexible-window.ts'
import { windowVectors } from './window-vectors.ts'

describeStrategy(flexibleWindow, {
  vectors: windowVectors,
  stores: { redis: () => redisUnderTest(socket) },
})
