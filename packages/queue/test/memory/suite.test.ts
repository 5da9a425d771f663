import { describeQueue } from '@sluice/conformance/queue'
import { memoryQueue } from '../../src/index.ts'

const logger = { warn: () => {}, error: () => {} }

describeQueue('the embedded queue', async (wanted) => {
  const queue = memoryQueue<unknown, unknown>({ name: 'suite', logger, ...wanted })
  return { queue, buried: async () => queue.deadLetters(), close: () => queue.close() }
})
