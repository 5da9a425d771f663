import { afterEach, expect, jest, test } from '@jest/globals'
import { type AdaptiveLimitOptions, adaptiveLimit, type SheddingOptions, shedding } from '../src/index.ts'

afterEach(() => {
  jest.restoreAllMocks()
})

function warnedBy(make: () => unknown): readonly unknown[] {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
  make()
  return warn.mock.calls.flat().map((text) => String(text).replace(/ \(http.*/, ''))
}

const warning = (what: string, ms: number) =>
  `[sluice] SLUICE_SHORT_TIME: ${what} is ${ms} ms: for seconds write '${ms}s'`

// biome-ignore format: a table
test.each<[AdaptiveLimitOptions, readonly string[]]>([
  [{ hold: 30 },                          [warning('hold', 30)]],
  [{ hold: '30ms' },                      []],
  [{ hold: 30_000 },                      []],
  [{ algorithm: 'aimd', timeout: 5 },     [warning('timeout', 5)]],
  [{ algorithm: 'aimd', timeout: '5ms' }, []],
  [{ window: 100 },                       []],
])('adaptiveLimit(%j)', (options, warned) => {
  expect(warnedBy(() => adaptiveLimit(options))).toEqual(warned)
})

// biome-ignore format: a table
test.each<[SheddingOptions['retryAfter'], readonly string[]]>([
  [[1, 5],            [warning('retryAfter[1]', 5)]],
  [['1ms', '5ms'],    []],
  [[1000, 5000],      []],
])('shedding with retryAfter %j', (retryAfter, warned) => {
  expect(warnedBy(() => shedding({ retryAfter }).close())).toEqual(warned)
})
