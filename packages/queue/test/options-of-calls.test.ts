import { expect, it } from '@jest/globals'
import { acceptJob, memoryQueue, processor } from '../src/index.ts'

const logger = { warn: () => {}, error: () => {} }
const wrong = [null, '10s', 5000, true, [], { timeOut: '10s' }, { statuspath: () => '/' }]

it.each(wrong)('stop and acceptJob refuse what is no options: %p', async (options) => {
  const queue = memoryQueue<number>({ name: 'orders', limit: 1, logger })
  const worker = processor(queue, async () => {}, { logger })
  const refused = expect.objectContaining({ code: 'SLUICE_OPTION' })
  expect(() => worker.stop(options as never)).toThrow(refused)
  await expect(acceptJob(queue, 1, options as never)).rejects.toEqual(refused)
  await worker.stop()
  await queue.close()
})

it('a queue says where the options of its processors belong', () => {
  const options = { name: 'orders', limit: 1, logger, maxAttempts: 5 }
  expect(() => memoryQueue<number>(options)).toThrow(
    'maxAttempts: expected a known option; write processor(queue, work, { maxAttempts: … }), got "maxAttempts" (string)',
  )
})
