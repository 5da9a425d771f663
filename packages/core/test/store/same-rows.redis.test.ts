import { memoryUnderTest, type StoreUnderTest } from '@sluice/conformance'
import { bothWays, describeSameRows, onwards, withFewerHistories } from '@sluice/conformance/internal'
import { redisUnderTest, type VirtualTime } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'

async function redis(options?: VirtualTime): Promise<StoreUnderTest> {
  return withFewerHistories(await redisUnderTest(socket, options), 0.05)
}

describeSameRows('memory and redis agree', [memoryUnderTest, () => redis()], onwards)
describeSameRows(
  'memory and redis agree when the clock steps back',
  [memoryUnderTest, () => redis({ expires: false })],
  bothWays,
)
