import { expect, it } from '@jest/globals'
import { timeUs } from '../../../src/compare/log/time.ts'

const at = Date.UTC(2026, 2, 10, 13, 0, 2) * 1000

// biome-ignore format: a table
it.each([
  // a time                                            µs since 1970, from 13:00:02 UTC on
  ['10/Mar/2026:13:00:02 +0000',                       at],
  ['10/Mar/2026:06:00:02 -0700',                       at],
  ['10/Mar/2026:18:30:02 +0530',                       at],
  ['10/Mar/2026:09:30:02 -0330',                       at],
  ['2026-03-10T13:00:02Z',                             at],
  ['2026-03-10T14:00:02+01:00',                        at],
  ['2026-03-10 14:00:02 +0100',                        at],
  ['2026-03-10T14:00:02+01',                           at],
  ['2026-03-10t13:00:02z',                             at],
  ['2026-03-10T13:00:02',                              at],
  ['2026-03-10 13:00:02,123',                          at + 123_000],
  ['2026-03-10T13:00:02.123456789Z',                   at + 123_456],
  [at / 1e6,                                           at],
  [at / 1e6 + 0.25,                                    at + 250_000],
  [at / 1e3,                                           at],
  [at,                                                 at],
  [at * 1e3,                                           at],
  [`${at / 1e6}.25`,                                   at + 250_000],
  [String(at / 1e3),                                   at],
])('reads %j', (time, expected) => {
  expect(timeUs(time)).toBe(expected)
})

it.each([
  '',
  '-',
  '10/Mrz/2026:13:00:02 +0000',
  '10/Mar/2026:13:00:02',
  '10/Mar/2026:25:00:02 +0000',
  '2026-13-10T13:00:02Z',
  '2026-03-10',
  'yesterday',
  '12345',
  12_345,
  // How long a request took, which many logs call `time`.
  0.032,
  0,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e300,
  true,
  null,
  undefined,
  {},
  ['2026-03-10T13:00:02Z'],
])('takes %j for no time', (time) => {
  expect(timeUs(time)).toBeUndefined()
})
