import { describe, expect, it } from '@jest/globals'
import { policyFrom } from '@sluice/core/strategies'
import { forms, type PolicyData, policyData, textOf } from '../../src/compare/policy-text.ts'
import { scaled } from '../../src/compare/scaled.ts'

type Row = readonly [text: string, data: PolicyData, half: string | null, double: string | null]

// biome-ignore format: a table
const table: readonly Row[] = [
  // text                               data                                                                     half                                double
  ['gcra:100/1m',                       { strategy: 'gcra', count: 100, period: '1m' },                          'gcra:50/1m',                       'gcra:200/1m'],
  ['gcra:101/1m,burst=20',              { strategy: 'gcra', count: 101, period: '1m', burst: 20 },               'gcra:50/1m,burst=9',               'gcra:202/1m,burst=41'],
  ['gcra:10/1m,burst=0',                { strategy: 'gcra', count: 10, period: '1m', burst: 0 },                 null,                               'gcra:20/1m,burst=1'],
  ['slidingWindowLog:7/10s',            { strategy: 'slidingWindowLog', limit: 7, window: '10s' },               'slidingWindowLog:3/10s',           'slidingWindowLog:14/10s'],
  ['slidingWindowCounter:8/1h',         { strategy: 'slidingWindowCounter', limit: 8, window: '1h' },            'slidingWindowCounter:4/1h',        'slidingWindowCounter:16/1h'],
  ['uniform:1ms',                       { strategy: 'uniform', interval: '1ms' },                                'uniform:2ms',                      'uniform:1ms'],
  ['fixedWindow:1/1d,start=clock',      { strategy: 'fixedWindow', limit: 1, window: '1d', start: 'clock' },     null,                               'fixedWindow:2/1d,start=clock'],
  ['fixedWindow:8/month,timeZone=Asia/Tokyo', { strategy: 'fixedWindow', limit: 8, every: 'month', timeZone: 'Asia/Tokyo' }, 'fixedWindow:4/month,timeZone=Asia/Tokyo', 'fixedWindow:16/month,timeZone=Asia/Tokyo'],
  ['tokenBucket:10/1s,capacity=50',     { strategy: 'tokenBucket', count: 10, period: '1s', capacity: 50 },      'tokenBucket:5/1s,capacity=25',     'tokenBucket:20/1s,capacity=100'],
  ['leakyBucket:10/500ms,capacity=3',   { strategy: 'leakyBucket', count: 10, period: '500ms', capacity: 3 },    'leakyBucket:5/500ms,capacity=1',   'leakyBucket:20/500ms,capacity=6'],
  ['uniform:10s',                       { strategy: 'uniform', interval: '10s' },                                'uniform:20s',                      'uniform:5s'],
  ['uniform:1s',                        { strategy: 'uniform', interval: '1s' },                                 'uniform:2s',                       'uniform:500ms'],
  ['multiWindow:20/1s,100/10s',         { strategy: 'multiWindow', limits: [{ limit: 20, window: '1s' }, { limit: 100, window: '10s' }] }, 'multiWindow:10/1s,50/10s', 'multiWindow:40/1s,200/10s'],
  ['multiWindow:1/1s,9/10s',            { strategy: 'multiWindow', limits: [{ limit: 1, window: '1s' }, { limit: 9, window: '10s' }] }, null,       'multiWindow:2/1s,18/10s'],
  ['attributedWindow:100/10s',          { strategy: 'attributedWindow', limit: 100, window: '10s' },             'attributedWindow:50/10s',          'attributedWindow:200/10s'],
  ['fairShare:100/10s,weight=2',        { strategy: 'fairShare', limit: 100, window: '10s', weight: 2 },         'fairShare:50/10s,weight=2',        'fairShare:200/10s,weight=2'],
]

describe('a policy in short', () => {
  it('has a unit of fractions', () => {
    const data = { strategy: 'fixedWindow', limit: 5, window: '1h', unit: 0.01 }
    expect(policyData('fixedWindow:5/1h,unit=0.01')).toEqual(data)
  })

  it.each(table)('%s', (text, data) => {
    expect(policyData(text)).toEqual(data)
    expect(policyData(JSON.stringify(data))).toEqual(data)
    expect(textOf(policyData(text))).toBe(text)
  })

  it.each(table)('%s with other numbers', (text, _data, half, double) => {
    const values = [0.5, 2].map((times) => {
      const other = scaled(policyData(text), times)
      return other === undefined ? null : textOf(other)
    })
    expect(values).toEqual([half, double])
  })

  it.each(Object.entries(forms))('has an example that works: %s', (name, { example }) => {
    expect(policyFrom(policyData(example)).strategy).toBe(name)
  })

  // biome-ignore format: a table
  it.each([
    ['gcra',                        'rule: expected one as in gcra:100/1m,burst=20, got "" (string)'],
    ['gcra:100',                    'rule: expected one as in gcra:100/1m,burst=20, got "100" (string)'],
    ['gcra:100/60',                 'period: expected a duration with a unit such as "10s", got "60" (string)'],
    ['uniform:10',                  'interval: expected a duration with a unit such as "10s", got "10" (string)'],
    ['multiWindow:5/1s,9/10',       'window: expected a duration with a unit such as "10s", got "10" (string)'],
    ['gcra:x/1m',                   'rule: expected one as in gcra:100/1m,burst=20, got "x/1m" (string)'],
    ['gcra:1/1m,2/2m',              'gcra: expected one rule, as in gcra:100/1m,burst=20, got "1/1m,2/2m" (string)'],
    ['gcra:burst=2',                'gcra: expected one rule, as in gcra:100/1m,burst=20, got "burst=2" (string)'],
    ['gcra:1/1m,count=2',           'count: expected to be given once, got "1/1m,count=2" (string)'],
    ['gcra:1/1m,burst=2,burst=3',   'burst: expected to be given once, got "1/1m,burst=2,burst=3" (string)'],
    ['gcra:1/1m,strategy=uniform',  'strategy: expected to be given once, got "1/1m,strategy=uniform" (string)'],
    ['uniform:',                    'rule: expected one as in uniform:10s, got "" (string)'],
    ['grca:100/1m',                 `strategy: expected one of ${Object.keys(forms).join(', ')} (did you mean "gcra"?), got "grca" (string)`],
    ['toString:1/1m',               `strategy: expected one of ${Object.keys(forms).join(', ')}, got "toString" (string)`],
    ['',                            `strategy: expected one of ${Object.keys(forms).join(', ')}, got "" (string)`],
    ['concurrency:5',               'strategy: expected a strategy that counts requests (how long they take is not known here), got "concurrency" (string)'],
    ['{"strategy":"gcra"',          'policy: expected JSON such as {"strategy":"gcra","count":100,"period":"1m"}, got "{\\"strategy\\":\\"gcra\\"" (string)'],
    ['{}',                          `strategy: expected one of ${Object.keys(forms).join(', ')}, got "undefined" (string)`],
  ])('is refused where it makes no sense: %s', (text, expected) => {
    expect(() => policyData(text)).toThrow(expected)
  })

  it.each(['__proto__', 'constructor', 'bursts'])(
    'names the option that a policy does not take: %s',
    (name) => {
      expect(() => policyFrom(policyData(`gcra:100/1m,${name}=5`))).toThrow(
        `${name}: expected a known option`,
      )
    },
  )
})
