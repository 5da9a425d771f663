import { expect, it } from '@jest/globals'
import { durationUs, instantText, msUp } from '../src/units.ts'

// biome-ignore format: a table
it.each([
  // µs      ms
  [0,        0],
  [1,        1],
  [999,      1],
  [1000,     1],
  [1001,     2],
  [1499,     2],
])('%i µs are rounded up to %i ms, as a client that waits for less comes back too early', (us, ms) => {
  expect(msUp(us)).toBe(ms)
})

// biome-ignore format: a table
it.each<[written: number | string, us: number | undefined]>([
  // written     µs
  [1,            1000],
  [1.1,          1100],
  ['1.001ms',    1001],
  ['0.001s',     1000],
  ['0.07s',      70_000],
  ['366d',       31_622_400e6],
  // no whole microseconds, too short, too long
  [1.0004,       undefined],
  [1.0005,       undefined],
  ['1.0001ms',   undefined],
  [0.999,        undefined],
  ['366.0001d',  undefined],
])('%j is a time of %d µs, or none', (written, us) => {
  if (us === undefined) expect(() => durationUs(written, 'window')).toThrow('of whole microseconds, from 1 ms to 366 days')
  else expect(durationUs(written, 'window')).toBe(us)
})

// biome-ignore format: a table
it.each([
  0, 7, 999_999, 1_000_000, 1_000_001, 1_999_999, 2_000_000,
  1_699_999_999_999_999, 1_700_000_000_000_000, 1_700_000_000_000_001, 1_699_999_999_999_998, Number.MAX_SAFE_INTEGER,
])('the digits of the instant %i are those of the number', (us) => {
  expect(instantText(us)).toBe(String(us))
})
