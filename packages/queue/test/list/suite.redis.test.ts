import { describeQueue } from '@sluice/conformance/queue'
import { listQueue } from '../../src/index.ts'
import { deadline, onRedis, quiet } from '../redis-queue.ts'

const forgets = 'a list knows nothing of what was taken'

describeQueue(
  'the list queue',
  async ({ limit, maxJobBytes }) =>
    onRedis((redis, name) =>
      listQueue<unknown>({ name, redis, limit, maxJobBytes, deadline, logger: quiet }),
    ),
  [
    { cases: 'counts what runs', reason: 'its limit bounds what waits' },
    { cases: 'positions: count what runs', reason: forgets },
    { cases: 'cannot be guessed', reason: 'a ticket shows a position and nothing else' },
    { cases: 'results: ', reason: forgets },
    { cases: 'attempts: ', reason: 'it hands out once' },
    { cases: 'dead letters: ', reason: forgets },
    { cases: 'failures: ', reason: 'it reports each failed job as lost' },
    { cases: 'leave what runs', reason: forgets },
    { cases: 'health: ', reason: forgets },
  ],
)
