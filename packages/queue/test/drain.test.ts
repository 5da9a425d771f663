import { describe, expect, test } from '@jest/globals'
import { gapUs, type Measure, measureFinish, nextPlace, unmeasured, waitMs } from '../src/drain.ts'

const second = 1_000_000

/** Finishes at these seconds, each of work that took one; `waiting` says whether something waited behind it. */
function measured(finishes: readonly (readonly [at: number, waiting: boolean])[], sinceUs = 0): Measure {
  return finishes.reduce<Measure>(
    (measure, [at, waiting]) => measureFinish(measure, at * second, { workedUs: second, waiting }),
    { ...unmeasured, sinceUs },
  )
}

describe('the gap between finishes', () => {
  // biome-ignore format: a table
  test.each([
    // what                                       finishes (at, waiting behind)                    asked  waiting  gap
    ['is guessed before anything finished',       [],                                                 0,  false,   1],
    ['grows while nothing finishes at all',       [],                                                 5,  true,    5],
    ['is counted where work waited',              [[10, true], [12, true], [16, false]],             16,  false,   3],
    ['leaves idle time out',                      [[10, true], [12, false], [99, true], [101, false]], 101, false, 2],
    ['holds what is open now against it',         [[10, true], [12, true], [16, true]],              22,  true,    6],
    ['has nothing open where nothing waits',      [[10, true], [12, true], [16, false]],             99,  false,   3],
  ] as const)('%s', (_what, finishes, asked, waiting, gap) => {
    expect(gapUs(measured(finishes), asked * second, waiting)).toBe(gap * second)
  })

  test('is open from when the first entry came, where nothing finished since', () => {
    const measure = measured(
      [
        [10, true],
        [12, false],
      ],
      40 * second,
    )
    expect(gapUs(measure, 41 * second, true)).toBe(3 * second)
  })

  // biome-ignore format: a table
  test.each([
    // ten seconds each, then two each   gap
    [32,                         0,      10],
    [32,                        31,      (320 + 62) / 63],
    [32,                        32,      2],
  ])('is that of the last 32 to 64: %i slow, then %i quick ones', (slow, quick, gap) => {
    const slowly = Array.from({ length: slow + 1 }, (_, i) => [10 * i, true] as const)
    const quickly = Array.from({ length: quick }, (_, i) => [10 * slow + 2 * (i + 1), true] as const)
    const measure = measured([...slowly, ...quickly])
    expect(gapUs(measure, measure.lastUs, true)).toBeCloseTo(gap * second, 6)
  })

  test('is never negative, where the clock stepped back', () => {
    expect(
      gapUs(
        measured([
          [100, true],
          [40, true],
        ]),
        30 * second,
        true,
      ),
    ).toBe(0)
  })
})

describe('the wait at a position', () => {
  test('is unknown while nothing was measured', () => {
    expect(waitMs(unmeasured, 5 * second, 1)).toBeNull()
  })

  // biome-ignore format: a table
  test.each([
    // position  wait
    [1,           3],
    [2,           6],
    [10,         30],
  ])('counts gaps: position %i waits %i s', (position, wait) => {
    expect(waitMs(measured([[10, true], [13, true]]), 13 * second, position)).toBe(wait * 1000)
  })

  test('is never shorter than the work itself takes', () => {
    const measure = {
      ...measured([
        [10, true],
        [13, true],
      ]),
      workUs: 8 * second,
    }
    expect(waitMs(measure, 13 * second, 1)).toBe(8000)
  })

  test('follows the mean of what work takes', () => {
    const first = measureFinish(unmeasured, 1, { workedUs: 160, waiting: false })
    expect(first.workUs).toBe(160)
    expect(measureFinish(first, 2, { workedUs: 320, waiting: false }).workUs).toBe(170)
  })
})

describe('callers of a full queue', () => {
  const full = { limit: 3, waiting: true }
  const measure = measured([
    [10, true],
    [12, true],
  ])

  test('get successive places, at most one whole queue away', () => {
    const waits: number[] = []
    let returnUs = 0
    for (let i = 0; i < 5; i++) {
      const place = nextPlace({ ...measure, returnUs }, 12 * second, full)
      returnUs = place.returnUs
      waits.push(place.retryAfterUs / second)
    }
    expect(waits).toEqual([2, 4, 6, 6, 6])
  })

  test('count from now on, once the places given are past', () => {
    expect(nextPlace({ ...measure, returnUs: 5 * second }, 12 * second, full).retryAfterUs).toBe(2 * second)
  })

  test('are no further than a queue away where the clock stepped back', () => {
    expect(nextPlace({ ...measure, returnUs: 900 * second }, 12 * second, full).retryAfterUs).toBe(6 * second)
  })
})
