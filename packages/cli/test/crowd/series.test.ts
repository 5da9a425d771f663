import { expect, it } from '@jest/globals'
import { randomOf } from '../../src/compare/traffic/random.ts'
import { inSpanAt } from '../../src/crowd/series.ts'

// biome-ignore format: a table
it.each([
  // what                            instants           span  step  values
  ['nothing',                        [],                20,   10,   [0, 0, 0, 0]],
  ['comes and goes',                 [5],               20,   10,   [1, 1, 0, 0]],
  ['comes with the step',            [10],              20,   10,   [1, 1, 0, 0]],
  ['goes when it is as old as the span', [20.5],        20,   10,   [0, 0, 1, 1]],
  ['after the end',                  [41],              20,   10,   [0, 0, 0, 0]],
])('adds up what lies in the last span: %s', (_what, instantsMs, spanMs, stepMs, values) => {
  expect(inSpanAt(instantsMs, { spanMs, stepMs, steps: 4 })).toEqual(values)
})

it('equals a naive recount of random instants', () => {
  const random = randomOf(6)
  const instantsMs = Array.from({ length: 500 }, () => random() * 1000).sort((a, b) => a - b)
  const recount = Array.from({ length: 100 }, (_, step) => {
    const endMs = (step + 1) * 10
    return instantsMs.filter((ms) => ms > endMs - 150 && ms <= endMs).length
  })
  expect(inSpanAt(instantsMs, { spanMs: 150, stepMs: 10, steps: 100 })).toEqual(recount)
})
