import { afterEach, expect, it, jest } from '@jest/globals'
import { type Group, writeGroups } from '../../src/batch.ts'
import type { Sample } from '../../src/sink.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

// A thousand go in two portions.
const many = Array.from(
  { length: 1000 },
  (_, i): Sample => ({ series: `s${i}`, second: 1, units: 1, labels: {} }),
)
const each = (sound: readonly Sample[]) => sound.map((sample): Group => [sample])

it.each([
  [20_000, 1000],
  [20, 500],
])('what has not begun within a deadline of %i ms is lost, and that alone', async (deadlineMs, written) => {
  let nowMs = 0
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
  let begun = 0
  const write = async () => {
    begun++
    nowMs = 5000
  }
  const done = writeGroups(many, each, { sink: 'redis', deadlineMs, write })
  const lost = 1000 - written
  if (lost === 0) await done
  else await expect(done).rejects.toMatchObject({ message: `not done within ${deadlineMs} ms`, units: lost })
  expect(begun).toBe(written)
})
