import { expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { soak } from './soak.ts'

const entries = 10_000

it('ten thousand entries are accounted for while processors are killed at random', async () => {
  const books = await soak(socket, entries, 5)
  expect(books).toMatchObject({ appended: entries, waiting: 0, running: 0, deaths: 5 })
  expect(books.done + books.dead).toBe(entries)
  expect(books.dead).toBe(0)
  expect(books.longest).toBeLessThanOrEqual(1000)
  expect(books.mostRuns).toBeLessThanOrEqual(3)
})
