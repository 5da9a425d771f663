import { bothWays, describeSameRows, memoryUnderTest, onwards } from '@sluice/conformance'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '../redis-socket.ts'

describeSameRows('memory and redis agree', [memoryUnderTest, () => redisUnderTest(socket)], onwards)
describeSameRows(
  'memory and redis agree when the clock steps back',
  [memoryUnderTest, () => redisUnderTest(socket, { expires: false })],
  bothWays,
)
