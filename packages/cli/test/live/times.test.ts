import { expect, it } from '@jest/globals'
import { spanText } from '../../src/live/times.ts'

// biome-ignore format: a table
it.each([
  // milliseconds, in words
  [1,                '1 ms'],
  [999.2,            '1000 ms'],
  [1000,             '1 s'],
  [1001,             '2 s'],
  [59_001,           '1 min'],
  [60_000,           '1 min'],
  [600_000,          '10 min'],
  [3_597_300,        '59 min 58 s'],
  [3_599_500,        '1 h'],
  [3_600_000,        '1 h'],
  [3_600_001,        '1 h 1 min'],
  [86_340_001,       '1 d'],
  [86_400_000,       '1 d'],
  [93_600_000,       '1 d 2 h'],
  [365 * 86_400_000, '365 d'],
] as const)('%d ms are %s', (ms, words) => {
  expect(spanText(ms)).toBe(words)
})
