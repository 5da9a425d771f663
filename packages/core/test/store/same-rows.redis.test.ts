import { memoryUnderTest } from '@sluice/conformance'
import { bothWays, describeSameRows, onwards } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '../redis-socket.ts'

describeSameRows('memory and redis agree', [memoryUnderTest, () => redisUnderTest(socket)], onwards)
describeSameRows(
  'memory and redis agree when the clock steps back',
  [memoryUnderTest, () => redisUnderTest(socket, { expires: false })],
  bothWays,
)
