import { memoryUnderTest, type StoreUnderTest } from '@sluice/conformance'
import { asOneMoreWay, describeSameRows, onwards, unchanged } from '@sluice/conformance/internal'
import { redisUnderTest, renamed } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'

/** Each key is a limit of its own: a store repeats no refusals of a limit whose numbers change. */
async function repeating(): Promise<StoreUnderTest> {
  const subject = await redisUnderTest(socket, { refusalsUs: 366 * 86_400_000_000 })
  return asOneMoreWay(
    renamed(subject, (check) => ({ ...check, id: `${check.id}.${check.key}` })),
    0.03,
  )
}

describeSameRows('memory and a store that repeats refusals agree', [memoryUnderTest, repeating], unchanged)
describeSameRows(
  'memory and a store that repeats refusals agree under changing numbers',
  [memoryUnderTest, repeating],
  onwards,
)
