import { describe, expect, it } from '@jest/globals'
import { randomOf } from '../../src/compare/traffic/random.ts'
import { type Between, mostWithin } from '../../src/crowd/most-within.ts'

function at(...instantsMs: readonly number[]): readonly Between[] {
  return instantsMs.map((ms) => ({ fromMs: ms, toMs: ms }))
}

/** All spans that begin with something are looked at, one after the other. */
function recount(times: readonly Between[], spanMs: number): number {
  const counts = times.map(
    ({ fromMs: begin }) =>
      times.filter(({ fromMs, toMs }) => fromMs >= begin && toMs < begin + spanMs).length,
  )
  return Math.max(0, ...counts)
}

// biome-ignore format: a table
it.each([
  // what                                        when                                  span   most
  ['nothing',                                    at(),                                  10,    0],
  ['one',                                        at(5),                                 10,    1],
  ['what lies exactly a span apart',             at(0, 10),                             10,    1],
  ['what lies a little closer',                  at(0, 9.999),                          10,    2],
  ['the same instant',                           at(3, 3, 3),                           10,    3],
  ['a span that is no multiple of anything',     at(0, 9, 12, 13, 18),                  10,    4],
  ['no order at all',                            at(18, 0, 13, 9, 12),                  10,    4],
  ['what surely lies within',                    [{ fromMs: 0, toMs: 1 }, { fromMs: 8, toMs: 9 }],   10, 2],
  ['what may lie outside',                       [{ fromMs: 0, toMs: 1 }, { fromMs: 8, toMs: 10 }],  10, 1],
  ['what took as long as the span',              [{ fromMs: 0, toMs: 10 }],             10,    0],
  ['what took so long, amid others',             [...at(1, 2), { fromMs: 0, toMs: 99 }], 10,   2],
])('counts the most within a span: %s', (_what, times, spanMs, most) => {
  expect(mostWithin(times, spanMs)).toBe(most)
})

describe('on random times', () => {
  // biome-ignore format: a table
  it.each([
    // what             longest time between the two instants
    ['known exactly',   0],
    ['known roughly',   15],
    ['hardly known',    120],
  ])('equals a naive recount: %s', (_what, longestMs) => {
    const random = randomOf(6)
    for (let round = 0; round < 200; round++) {
      const times = Array.from({ length: Math.floor(random() * 60) }, () => {
        const fromMs = Math.floor(random() * 500)
        return { fromMs, toMs: fromMs + Math.floor(random() * longestMs) }
      })
      expect(mostWithin(times, 100)).toBe(recount(times, 100))
    }
  })
})
