import { expect, it } from '@jest/globals'
import { fairness } from '../../src/crowd/fairness.ts'

// biome-ignore format: a table
it.each([
  // what                             shares              index
  ['all the same',                    [7, 7, 7],          1],
  ['one of four has everything',      [0, 8, 0, 0],       1 / 4],
  ['half of them have everything',    [3, 0, 3, 0],       1 / 2],
  ['one has twice as much',           [1, 2],             9 / 10],
  ['nobody has anything',             [0, 0],             null],
  ['nobody is there',                 [],                 null],
])('says how fair it was: %s', (_what, shares, index) => {
  expect(fairness(shares)).toBe(index)
})
