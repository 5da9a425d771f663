import { expect, it } from '@jest/globals'
import { randomOf } from '../../src/compare/traffic/random.ts'
import type { Between } from '../../src/crowd/most-within.ts'
import { inSpanAt } from '../../src/crowd/series.ts'

function at(...instantsMs: readonly number[]): readonly Between[] {
  return instantsMs.map((ms) => ({ fromMs: ms, toMs: ms }))
}

// biome-ignore format: a table
it.each([
  // what                            when               values at 10, 20, 30 and 40, of the last 20
  ['nothing',                           at(),                       [0, 0, 0, 0]],
  ['comes and goes',                    at(5),                      [1, 1, 0, 0]],
  ['comes with the step',               at(10),                     [1, 1, 0, 0]],
  ['goes once it is as old as the span', at(10.5),                  [0, 1, 1, 0]],
  ['no order at all',                   at(25, 5, 15),              [1, 2, 2, 1]],
  ['before the beginning',              at(-5, -15),                [1, 0, 0, 0]],
  ['after the end',                     at(41),                     [0, 0, 0, 0]],
  ['comes when it surely has come',     [{ fromMs: 5, toMs: 15 }],  [0, 1, 0, 0]],
  ['took as long as the span',          [{ fromMs: 0, toMs: 20 }],  [0, 0, 0, 0]],
])('adds up what lies in the last span: %s', (_what, times, values) => {
  expect(inSpanAt(times, { spanMs: 20, beginMs: 0, stepMs: 10, count: 4 })).toEqual(values)
})

it('equals a naive recount of random times', () => {
  const random = randomOf(6)
  const times = Array.from({ length: 500 }, () => {
    const fromMs = random() * 1000
    return { fromMs, toMs: fromMs + random() * 200 }
  })
  const recount = Array.from({ length: 100 }, (_, step) => {
    const endMs = 7 + (step + 1) * 10
    return times.filter(({ fromMs, toMs }) => fromMs > endMs - 150 && toMs <= endMs).length
  })
  expect(inSpanAt(times, { spanMs: 150, beginMs: 7, stepMs: 10, count: 100 })).toEqual(recount)
})
