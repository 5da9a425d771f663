import { describe, expect, it } from '@jest/globals'
import { timesAsMuch } from '@sluice/conformance/internal'
import { pauseMsOf } from '../src/pause.ts'

const date = 'Sat, 21 Nov 2026 12:00:00 GMT'
const tenLater = 'Sat, 21 Nov 2026 12:00:10 GMT'
const epoch = Date.parse(date) / 1000

// biome-ignore format: a table
const rows: readonly (readonly [title: string, status: number, headers: Record<string, string>, pauseMs: number | null])[] = [
  ['seconds',                            429, { 'retry-after': '7' },                                          7000],
  ['a decimal',                          503, { 'retry-after': '1.5' },                                        1500],
  ['a date, by the sender\'s clock',     429, { 'retry-after': tenLater, date },                             10_000],
  ['a date that is over, at 429',        429, { 'retry-after': date, date: tenLater },                           50],
  ['a date that is over, at 503',        503, { 'retry-after': date, date: tenLater },                         null],
  ['nonsense, at 503',                   503, { 'retry-after': 'soon' },                                       null],
  ['a negative number',                  503, { 'retry-after': '-5' },                                         null],
  ['Retry-After of another status',      200, { 'retry-after': '7' },                                          null],
  ['RateLimit used up',                  429, { ratelimit: '"default";r=0;t=30' },                           30_000],
  ['the longest of several',             429, { ratelimit: '"a";r=0;t=3, "b";r=0;t=9, "c";r=5;t=99' },         9000],
  ['a name that looks like an item',     429, { ratelimit: '"x, y;r=0;t=99";r=0;t=3' },                        3000],
  ['RateLimit with some left',           200, { ratelimit: '"default";r=1;t=30' },                             null],
  ['RateLimit used up by this answer',   200, { ratelimit: '"default";t=30;r=0' },                           30_000],
  ['RateLimit of version 7, used up',    200, { ratelimit: 'limit=10, remaining=0, reset=7' },                 7000],
  ['the same in another order',          200, { ratelimit: 'remaining=0,reset=7,limit=10' },                   7000],
  ['RateLimit of version 7, some left',  200, { ratelimit: 'limit=10, remaining=10, reset=7' },                null],
  ['RateLimit of version 7, at 429',     429, { ratelimit: 'limit=10, remaining=0, reset=7' },                 7000],
  ['RateLimit without a time',           429, { ratelimit: '"default";r=0' },                                    50],
  ['RateLimit-Reset in seconds',         429, { 'ratelimit-reset': '12' },                                   12_000],
  ['RateLimit-Reset as an instant',      429, { 'ratelimit-reset': String(epoch + 20), date },               20_000],
  ['RateLimit-Reset, used up',           200, { 'ratelimit-remaining': '0', 'ratelimit-reset': '4' },          4000],
  ['RateLimit-Reset with some left',     200, { 'ratelimit-remaining': '3', 'ratelimit-reset': '4' },          null],
  ['X-RateLimit-Reset of another status', 200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4' },     null],
  ['GitHub\'s limit of an hour',         403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(epoch + 90), date }, 90_000],
  ['GitHub\'s secondary limit',          403, { 'retry-after': '60', 'x-ratelimit-remaining': '4990', 'x-ratelimit-reset': String(epoch + 90), date }, 60_000],
  ['403 for another reason, at GitHub',  403, { 'x-ratelimit-remaining': '4990', 'x-ratelimit-reset': String(epoch + 90), date }, null],
  ['403 and no more',                    403, {},                                                              null],
  ['X-RateLimit-Reset in seconds',       429, { 'x-ratelimit-reset': '12' },                                 12_000],
  ['X-RateLimit-Reset in milliseconds',  429, { 'x-ratelimit-reset': String(1000 * epoch + 1500), date },      1500],
  ['X-RateLimit-Reset as a date',        429, { 'x-ratelimit-reset': tenLater, date },                           50],
  ['RateLimit-Reset before it',          429, { 'ratelimit-reset': '3', 'x-ratelimit-reset': '12' },           3000],
  ['429 and no more',                    429, {},                                                                50],
  ['503 and no more',                    503, {},                                                              null],
  ['200 and no more',                    200, {},                                                              null],
  ['Retry-After before RateLimit',       429, { 'retry-after': '2', ratelimit: '"default";r=0;t=30' },         2000],
]

describe('the pause that an answer asks for', () => {
  it.each(rows)('%s', (_title, status, headers, pauseMs) => {
    expect(pauseMsOf({ status, headers: new Headers(headers) }, 50)).toBe(pauseMs)
  })

  it.each([
    '"',
    '\\"',
    '"\\',
    ';',
    '; ',
    ';r=',
    ';r=1 ',
    ';r=0;t=',
    ' ',
    ' remaining=',
    ',remaining=0,',
    '1',
    '1.',
    ',',
  ])('is read in one pass, whatever a server repeats to its end: %s', async (piece) => {
    for (const start of ['', '"', '"a";r=0', '1']) {
      const reading = (characters: number, times: number) => {
        const value = `${start}${piece.repeat(4096)}`.slice(0, characters)
        const headers = new Headers({
          ratelimit: value,
          'retry-after': value,
          'ratelimit-reset': value,
          date: value,
        })
        return () => {
          for (let i = 0; i < times; i++) pauseMsOf({ status: 429, headers }, 50)
        }
      }
      // 1 where work grows with the length, 63 where it grows with the square of it.
      expect(await timesAsMuch(reading(4095, 20), reading(65, 1260))).toBeLessThan(8)
    }
  })

  it('is not read of a field that is longer than any that says something', () => {
    const pauseMs = (field: string) =>
      pauseMsOf({ status: 429, headers: new Headers({ ratelimit: field }) }, 50)
    const item = '"default";r=0;t=30'
    expect(pauseMs(`${item}${' '.repeat(4095 - item.length)};`)).toBe(30_000)
    expect(pauseMs(`${item}${' '.repeat(4096 - item.length)};`)).toBe(50)
  })

  it('is not what stands behind a quote that nobody closes', () => {
    const headers = new Headers({ ratelimit: '"a, b;r=0;t=99' })
    expect(pauseMsOf({ status: 429, headers }, 50)).toBe(50)
  })
})
