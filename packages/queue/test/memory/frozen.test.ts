import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type FrozenTime, freeze } from '@sluice/testing'
import { memoryQueue, processor as processorOf } from '../../src/index.ts'

const logger = { warn: () => {}, error: () => {} }

let time: FrozenTime
beforeEach(() => {
  time = freeze()
})
afterEach(() => {
  time.restore()
})

test('frozen time moves a queue in memory, its attempts and the pauses of its processor', async () => {
  const queue = memoryQueue<string, string>({ name: 'orders', limit: 9, logger })
  for (const job of ['tea', 'milk', 'sugar']) await queue.offer(job)
  const begun: string[] = []
  const work = async (job: string, { attempt }: { attempt: number }) => {
    begun.push(`${job} ${attempt}`)
    if (job === 'tea' && attempt === 1) throw new Error('spilt')
    return 'done'
  }
  const processor = processorOf(queue, work, { minInterval: '1m', logger })
  await time.advance(1)
  expect(begun).toEqual(['tea 1'])
  await time.advance('59s')
  expect(begun).toEqual(['tea 1'])
  await time.advance('1s')
  expect(begun).toHaveLength(2)
  await time.advance('2m')
  expect(begun.toSorted()).toEqual(['milk 1', 'sugar 1', 'tea 1', 'tea 2'])
  await processor.stop()
  await queue.close()
})
