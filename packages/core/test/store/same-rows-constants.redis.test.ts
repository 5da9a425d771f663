import { memoryUnderTest, type StoreUnderTest } from '@sluice/conformance'
import {
  asOneMoreWay,
  bothWays,
  busy,
  crowded,
  describeSameRows,
  onwards,
} from '@sluice/conformance/internal'
import { redisUnderTest, type VirtualTime } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'

/** A further script for each policy, to the same arithmetic. */
async function constant(options?: VirtualTime): Promise<StoreUnderTest> {
  return asOneMoreWay(await redisUnderTest(socket, { ...options, constant: true }), 0.04)
}

describeSameRows(
  'memory and redis agree where numbers are constants',
  [memoryUnderTest, () => constant()],
  onwards,
)
describeSameRows(
  'memory and redis agree on busy keys where numbers are constants',
  [memoryUnderTest, () => constant()],
  busy,
)
// Each history asks one policy, so that all its questions go in one call.
describeSameRows(
  'memory and redis agree where numbers are constants and many ask at once',
  [
    memoryUnderTest,
    async () => ({ ...(await redisUnderTest(socket, { constant: true })), keepsOrder: true }),
  ],
  crowded,
)
describeSameRows(
  'memory and redis agree where numbers are constants when the clock steps back',
  [memoryUnderTest, () => constant({ expires: false })],
  bothWays,
)
