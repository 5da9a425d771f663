import { describe, expect, it } from '@jest/globals'
import { everyNth } from '@sluice/conformance/internal'
import {
  concurrency,
  fixedWindow,
  gcra,
  leakyBucket,
  multiWindow,
  type Policy,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'
import { spanWords } from '../../src/strategies/picture.ts'
import { pictureOf } from '../../src/strategies/words/words-of.ts'

describe('pictureOf', () => {
  // biome-ignore format: a table
  it.each<[string, Policy, string, number, number | null]>([
    // name               policy                                              rule                                   window  most
    ['sliding window log', slidingWindowLog({ limit: 100, window: '10s' }),    '100 in 10 s',                         10e6,  100],
    ['fixed window',       fixedWindow({ limit: 7, window: '1h' }),            '7 in 1 h',                            3600e6, 7],
    ['fixed window',       fixedWindow({ limit: 7, every: 'month', timeZone: 'Asia/Tokyo' }), '7 a month in Asia/Tokyo', 31 * 86_400e6, 7],
    ['fixed window',       fixedWindow({ limit: 7, every: 'year from april 6', timeZone: 'UTC' }), '7 a year from april 6 in UTC', 366 * 86_400e6, 7],
    ['uniform gate',       uniform({ interval: '1.5s' }),                      '1 in 1500 ms',                        1.5e6, 1],
    ['GCRA',               gcra({ count: 10, period: '1s', burst: 20 }),       '10/s, burst 20',                      2.1e6, 21],
    ['GCRA',               gcra({ count: 100, period: '1m' }),                 '100/min, burst 99',                   60e6,  100],
    ['GCRA',               gcra({ count: 30, period: '10s' }),                '3/s, burst 29',                       10e6,  30],
    ['token bucket',       tokenBucket({ capacity: 50, count: 10, period: '1s' }), 'holds 50, refill 10/s',           5e6,   50],
    ['leaky bucket',       leakyBucket({ capacity: 30, count: 10, period: '1s' }), 'room for 30, drain 10/s',         3e6,   30],
    ['concurrency',        concurrency({ limit: 12 }),                         '12 at once',                          10e6,  12],
    ['multi window',       multiWindow({ limits: [{ limit: 20, window: '1s' }, { limit: 140, window: '15s' }] }), '20 / 1 s, 140 / 15 s', 15e6, 140],
  ])('shows the rule of a %s, and the limit of the window it is drawn over', (title, policy, rule, windowUs, most) => {
    expect(pictureOf(policy)).toMatchObject({ title, rule, windowUs, most })
  })

  it('promises nothing of a strategy that has no window and no picture of its own', () => {
    expect(pictureOf(everyNth({ n: 3, forget: 60_000 }))).toEqual({
      title: 'every nth: {mine}',
      rule: 'limit 2',
      windowUs: 10e6,
      most: null,
      shape: 'none',
    })
  })

  it.each([
    [86_400e6, '1 d'],
    [90e6, '90 s'],
    [120e6, '2 min'],
    [500e3, '500 ms'],
    [1, '0.001 ms'],
  ])('writes %d µs as %s', (us, words) => expect(spanWords(us)).toBe(words))
})
