import { describeStrategy } from '@sluice/conformance'
import { redisUnderTest } from '@sluice/faults'
import { flexibleWindow } from '../../src/rate-limiter-flexible/flexible-window.ts'
import { socket } from '../redis-socket.ts'
import { windowVectors } from './window-vectors.ts'

describeStrategy(flexibleWindow, {
  vectors: windowVectors,
  stores: { redis: () => redisUnderTest(socket) },
})
