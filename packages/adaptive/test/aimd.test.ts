import { expect, test } from '@jest/globals'
import { Aimd } from '../src/aimd.ts'

const aimd = new Aimd({ timeoutUs: 100_000, backoff: 0.9, increase: 1 })

// biome-ignore format: a table
const rows = [
  // answered, latency ms, dropped, in flight, limit after 20
  [10, 100, 0, 20, 21], // in time
  [10, 100, 0, 10, 21], // half of it used
  [10, 100, 0,  9, 20], // less than half of it: nothing is learned
  [10, 101, 0, 20, 18], // too slow
  [10, 101, 0,  1, 18], // too slow, however few there are
  [ 9,  10, 1, 20, 21], // a tenth dropped
  [ 8,  10, 2, 20, 18], // more
  [ 0,   0, 9, 20, 18], // all
] as const

test.each(rows)('%d answered in %d ms, %d dropped, %d in flight: from 20 to %d', (...row) => {
  const [answered, latencyMs, dropped, mostInFlight, after] = row
  expect(aimd.next(20, { answered, latencyUs: latencyMs * 1000, dropped, mostInFlight })).toBeCloseTo(
    after,
    9,
  )
})
