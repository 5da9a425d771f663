import { memoryUnderTest, type StoreUnderTest } from '@sluice/conformance'
import {
  bothWays,
  busy,
  describeSameRows,
  onwards,
  unchanged,
  withFewerHistories,
} from '@sluice/conformance/internal'
import { redisUnderTest, renamed, type VirtualTime } from '@sluice/faults'
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

/** A further script for each policy, to the same arithmetic. */
async function constant(options?: VirtualTime): Promise<StoreUnderTest> {
  return withFewerHistories(await redisUnderTest(socket, { ...options, constant: true }), 0.04)
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
describeSameRows(
  'memory and redis agree where numbers are constants when the clock steps back',
  [memoryUnderTest, () => constant({ expires: false })],
  bothWays,
)

/** Each key is a limit of its own: a store repeats no refusals of a limit whose numbers change. */
async function repeating(): Promise<StoreUnderTest> {
  const subject = await redisUnderTest(socket, { refusalsUs: 366 * 86_400_000_000 })
  return withFewerHistories(
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
