import { expect, it } from '@jest/globals'
import { acceptJob, memoryQueue } from '../src/index.ts'

it.each([
  [undefined, 'options'],
  [{}, 'statusPath'],
  [{ statusPath: '/orders' }, 'statusPath'],
])('acceptJob with %j says what is missing', async (options, path) => {
  const queue = memoryQueue({ name: 'orders', limit: 1, logger: { warn() {}, error() {} } })
  const answer = acceptJob(queue, 'a job', options as never)
  await expect(answer).rejects.toMatchObject({ code: 'SLUICE_OPTION', path })
  await queue.close()
})
