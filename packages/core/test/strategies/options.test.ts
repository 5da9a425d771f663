import { Agent } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  attributedWindow,
  concurrency,
  createLimiter,
  fairShare,
  fixedWindow,
  type GuardOptions,
  gcra,
  guardedStore,
  leakyBucket,
  memoryStore,
  multiWindow,
  type OptionError,
  redisStore,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../../src/index.ts'
import { policyFrom } from '../../src/strategies.ts'

type Make = (options: never) => unknown

/** What is wrong with a call, in the words of its error. */
function complaint(make: Make, options: unknown): string {
  try {
    make(options as never)
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: 'SLUICE_OPTION' })
    const { message, path } = error as OptionError
    expect(message.startsWith(`${path}: `)).toBe(true)
    return message
  }
  return 'nothing'
}

const five = gcra({ count: 5, period: '1s' })

/** A guard around a store, for its options. */
function guarded(options: GuardOptions): unknown {
  return guardedStore(memoryStore(), options)
}

const whole = 'a whole number of at least 1'
const amount = 'a whole number of at least 0'
const duration =
  'a positive duration such as "10s" (ms, s, m, h, d) or 10000, of whole microseconds, from 1 ms to 366 days'

/** Every option that a constructor reads, beside options that are right. */
// biome-ignore format: a table
const options: readonly (readonly [make: Make, right: object, name: string, kind: 'whole' | 'amount' | 'duration' | 'choice', limits?: string])[] = [
  // constructor            right                                          option        kind
  [uniform,                 { interval: '1s' },                            'interval',   'duration'],
  [slidingWindowLog,        { limit: 5, window: '1s' },                    'limit',      'amount', 'a whole number from 0 to 100000'],
  [slidingWindowLog,        { limit: 5, window: '1s' },                    'window',     'duration'],
  [fixedWindow,             { limit: 5, window: '1s' },                    'limit',      'amount'],
  [fixedWindow,             { limit: 5, window: '1s' },                    'window',     'duration'],
  [fixedWindow,             { limit: 5, window: '1s' },                    'start',      'choice'],
  [attributedWindow,        { limit: 5, window: '1s' },                    'limit',      'amount', 'a whole number from 0 to 100000'],
  [attributedWindow,        { limit: 5, window: '1s' },                    'window',     'duration'],
  [attributedWindow,        { limit: 5, window: '1s' },                    'noteBytes',  'whole', 'a whole number from 1 to 1024'],
  [fairShare,               { limit: 5, window: '1s' },                    'limit',      'amount', 'a whole number from 0 to 1000000000'],
  [fairShare,               { limit: 5, window: '1s' },                    'window',     'duration'],
  [fairShare,               { limit: 5, window: '1s' },                    'weight',     'whole', 'a whole number from 1 to 1000'],
  [fairShare,               { limit: 5, window: '1s' },                    'maxClients', 'whole', 'a whole number from 1 to 1000'],
  [fairShare,               { limit: 5, window: '1s' },                    'noteBytes',  'whole', 'a whole number from 1 to 1024'],
  [slidingWindowCounter,    { limit: 5, window: '1s' },                    'limit',      'amount'],
  [slidingWindowCounter,    { limit: 5, window: '1s' },                    'window',     'duration'],
  [multiWindow,             { limits: [{ limit: 5, window: '1s' }] },      'slot',       'duration'],
  [gcra,                    { count: 5, period: '1s' },                    'count',      'amount'],
  [gcra,                    { count: 5, period: '1s' },                    'period',     'duration'],
  [tokenBucket,             { capacity: 5, count: 5, period: '1s' },       'capacity',   'amount'],
  [tokenBucket,             { capacity: 5, count: 5, period: '1s' },       'count',      'amount'],
  [tokenBucket,             { capacity: 5, count: 5, period: '1s' },       'period',     'duration'],
  [tokenBucket,             { capacity: 5, count: 5, period: '1s' },       'start',      'choice'],
  [leakyBucket,             { capacity: 5, count: 5, period: '1s' },       'capacity',   'amount'],
  [leakyBucket,             { capacity: 5, count: 5, period: '1s' },       'count',      'amount'],
  [leakyBucket,             { capacity: 5, count: 5, period: '1s' },       'period',     'duration'],
  [concurrency,             { limit: 5 },                                  'limit',      'amount', 'a whole number from 0 to 100000'],
  [concurrency,             { limit: 5 },                                  'lease',      'duration'],
  [memoryStore,             {},                                            'maxKeys',    'whole'],
  [guarded,                 {},                                            'deadline',   'duration'],
  [guarded,                 {},                                            'processes',  'whole'],
  [guarded,                 {},                                            'maxKeys',    'whole'],
]

// biome-ignore format: a table
const wrong: readonly (readonly [value: unknown, got: string, kinds: string])[] = [
  // value                     said of it               wrong for
  [Number.NaN,                 'NaN (number)',          'whole duration choice'],
  [Number.POSITIVE_INFINITY,   'Infinity (number)',     'whole duration choice'],
  [0,                          '0 (number)',            'whole duration choice'],
  [-1,                         '-1 (number)',           'whole duration choice'],
  [1.5,                        '1.5 (number)',          'whole choice'],
  [0.0001,                     '0.0001 (number)',       'whole duration choice'],
  [0.5,                        '0.5 (number)',          'whole duration choice'],
  [0.999,                      '0.999 (number)',        'whole duration choice'],
  ['0.999ms',                  '"0.999ms" (string)',    'whole duration choice'],
  ['0.0005s',                  '"0.0005s" (string)',    'whole duration choice'],
  ['5',                        '"5" (string)',          'whole duration choice'],
  ['',                         '"" (string)',           'whole duration choice'],
  ['1 s',                      '"1 s" (string)',        'whole duration choice'],
  ['-1s',                      '"-1s" (string)',        'whole duration choice'],
  ['1e3s',                     '"1e3s" (string)',       'whole duration choice'],
  ['367d',                     '"367d" (string)',       'whole duration choice'],
  ['0s',                       '"0s" (string)',         'whole duration choice'],
  [null,                       'null',                  'whole duration choice'],
  [true,                       'true (boolean)',        'whole duration choice'],
  [[5],                        'a list of 1',           'whole duration choice'],
  [{ limit: 5 },               'an object',             'whole duration choice'],
  [5n,                         '5 (bigint)',            'whole duration choice'],
  ['Clock',                    '"Clock" (string)',      'choice'],
]

describe('an option that makes no sense', () => {
  const rows = options.map(([make, right, name, kind, limits]) => ({ make, right, name, kind, limits }))
  it.each(rows)('is said where and what: $make.name, $name', ({ make, right, name, kind, limits }) => {
    expect(complaint(make, right)).toBe('nothing')
    const expected = limits ?? { whole, amount, duration, choice: '"' }[kind]
    for (const [value, got, kinds] of wrong) {
      // An amount of 0 refuses all.
      if (!kinds.includes(kind === 'amount' ? 'whole' : kind) || (kind === 'amount' && value === 0)) continue
      const said = complaint(make, { ...right, [name]: value })
      expect(said).toContain(`${name}: expected ${expected}`)
      expect(said).toContain(`got ${got}`)
    }
  })

  // biome-ignore format: a table
  it.each<[Make, object, string]>([
    // constructor           options                                            complaint
    [slidingWindowLog,       { limit: 5, windw: '1s' },                         'windw: expected a known option (did you mean "window"?), got "windw" (string)'],
    [slidingWindowLog,       { limit: 5, window: '1s', burst: 3 },              'burst: expected a known option (one of limit, window, blockFor, unit), got "burst" (string)'],
    [fixedWindow,            { limit: 5, window: '1s', Start: 'clock' },        'Start: expected a known option (did you mean "start"?), got "Start" (string)'],
    [fixedWindow,            { limit: 5, window: '1s', start: 'firsthit' },     'start: expected "first-hit" or "clock" (did you mean "first-hit"?), got "firsthit" (string)'],
    [attributedWindow,       { limit: 5, window: '1s', notebytes: 3 },          'notebytes: expected a known option (did you mean "noteBytes"?), got "notebytes" (string)'],
    [gcra,                   { count: 5, period: '1s', units: 0.01 },           'units: expected a known option (did you mean "unit"?), got "units" (string)'],
    [uniform,                { intervall: '1s' },                               'intervall: expected a known option (did you mean "interval"?), got "intervall" (string)'],
    [gcra,                   { cuont: 5, period: '1s' },                        'cuont: expected a known option (did you mean "count"?), got "cuont" (string)'],
    [tokenBucket,            { capacity: 5, count: 5, period: '1s', start: 'Empty' }, 'start: expected "full" or "empty" (did you mean "empty"?), got "Empty" (string)'],
    [leakyBucket,            { capacity: 5, count: 5, period: '1s', start: 'empty' }, 'start: expected a known option (one of capacity, count, period, maxDebt, blockFor, unit), got "start" (string)'],
    [multiWindow,            { limit: [] },                                     'limit: expected a known option (did you mean "limits"?), got "limit" (string)'],
    [multiWindow,            { limits: [{ limit: 5, windows: '1s' }] },         'limits[0].windows: expected a known option (did you mean "window"?), got "windows" (string)'],
    [multiWindow,            { limits: [{ limit: 5, window: '1s' }, { limit: 6, window: 'x' }] }, `limits[1].window: expected ${duration}, got "x" (string)`],
    [fixedWindow,            { limit: 5, window: 0.5 },                         `window: expected ${duration} (a number is ms, "0.5s" seconds), got 0.5 (number)`],
    [fixedWindow,            { limit: 5, window: '0.5ms' },                     `window: expected ${duration}, got "0.5ms" (string)`],
    [gcra,                   { count: 5, period: '1s', maxDebt: 0.5 },          `maxDebt: expected ${duration} (a number is ms, "0.5s" seconds), got 0.5 (number)`],
    [memoryStore,            { maxkeys: 5 },                                    'maxkeys: expected a known option (did you mean "maxKeys"?), got "maxkeys" (string)'],
    [memoryStore,            { clock: { nowUs: () => Number.NaN } },            'clock.nowUs: expected a function that returns microseconds, got NaN (number)'],
    [memoryStore,            { clock: Date },                                   'clock: expected a clock with nowUs(), got a function (Date)'],
  ])('has its nearest right name said: %p(%j)', (make, given, expected) => {
    expect(complaint(make, given)).toBe(expected)
  })

  // biome-ignore format: a table
  it.each<[Make, object, string]>([
    // constructor           options                                            how a policy of that strategy is written
    [gcra,                   { limit: 5, window: '1h' },                        "limit: expected a known option; write gcra({ count: 100, period: '1m' }), got \"limit\" (string)"],
    [gcra,                   { count: 5, window: '1h' },                        "window: expected a known option; write gcra({ count: 100, period: '1m' }), got \"window\" (string)"],
    [gcra,                   { count: 5, period: '1h', limit: 5 },              "limit: expected a known option; write gcra({ count: 100, period: '1m' }), got \"limit\" (string)"],
    [fixedWindow,            { count: 5, period: '1h' },                        "count: expected a known option; write fixedWindow({ limit: 100, window: '1m' }), got \"count\" (string)"],
    [fixedWindow,            { windowMs: 60_000, max: 5 },                      "windowMs: expected a known option; write fixedWindow({ limit: 100, window: '1m' }), got \"windowMs\" (string)"],
    [slidingWindowLog,       { points: 5, duration: 1 },                        "points: expected a known option; write slidingWindowLog({ limit: 100, window: '10s' }), got \"points\" (string)"],
    [slidingWindowCounter,   { count: 5, period: '1h' },                        "count: expected a known option; write slidingWindowCounter({ limit: 100, window: '1m' }), got \"count\" (string)"],
    [tokenBucket,            { limit: 5, window: '1h' },                        "limit: expected a known option; write tokenBucket({ capacity: 50, count: 10, period: '1s' }), got \"limit\" (string)"],
    [uniform,                { every: '1s' },                                   "every: expected a known option; write uniform({ interval: '10s' }), got \"every\" (string)"],
    [concurrency,            { max: 5 },                                        "max: expected a known option; write concurrency({ limit: 10 }), got \"max\" (string)"],
    [multiWindow,            { windows: [] },                                   "windows: expected a known option; write multiWindow({ limits: [{ limit: 20, window: '1s' }, { limit: 100, window: '10s' }] }), got \"windows\" (string)"],
    [fixedWindow,            { limit: 5, window: '1h', blockFor: { duration: '1h' } }, 'blockFor.duration: expected a known option (one of first, factor, longest, banAfter, banFor, forgetAfter, prolong), got "duration" (string)'],
    [multiWindow,            { limits: [{ max: 5, window: '1h' }] },            'limits[0].max: expected a known option (one of limit, window), got "max" (string)'],
  ])('of another strategy is answered with this one: %p(%j)', (make, given, expected) => {
    expect(complaint(make, given)).toBe(expected)
  })

  it.each<[Make, string]>([
    [uniform, "{ interval: '10s' }"],
    [slidingWindowLog, "{ limit: 100, window: '10s' }"],
    [gcra, "{ count: 100, period: '1m' }"],
    [multiWindow, "{ limits: [{ limit: 20, window: '1s' }, { limit: 100, window: '10s' }] }"],
    [memoryStore as Make, '{ maxKeys: … }'],
  ])('is no object of options: %p', (make, example) => {
    for (const given of [null, 5, 'x', [], gcra({ count: 1, period: '1m' }), new Agent()])
      expect(complaint(make, given)).toContain(
        `options: expected an object of options such as ${example}, got`,
      )
  })
})

describe('numbers that do not go together', () => {
  // biome-ignore format: a table
  it.each<[Make, object, string]>([
    // constructor   options                                                                                        complaint
    [multiWindow,    { limits: [] },                                                                                'limits: expected a list of 1 to 16 limits such as { limit: 1000, window: "1s" }, got a list of 0'],
    [multiWindow,    { limits: Array.from({ length: 17 }, (_, i) => ({ limit: i + 1, window: 1000 * (i + 1) })) },  'limits: expected a list of 1 to 16 limits'],
    [multiWindow,    { limits: [{ limit: 5, window: '1s' }, { limit: 5, window: '2s' }] },                          'limits: expected higher limits for longer windows (more than 5 in the longer one), got 5 (number)'],
    [multiWindow,    { limits: [{ limit: 9, window: '1s' }, { limit: 5, window: '2s' }] },                          'limits: expected higher limits for longer windows (more than 9 in the longer one), got 5 (number)'],
    [multiWindow,    { limits: [{ limit: 5, window: '1s' }, { limit: 9, window: '1s' }] },                          'limits: expected higher limits for longer windows'],
    [multiWindow,    { limits: [{ limit: 5, window: '1s' }], slot: '501ms' },                                       'slot: expected at most half of the shortest window'],
    [multiWindow,    { limits: [{ limit: 5, window: '1s' }], slot: '1.9ms' },                                       'slot: expected at least a 512th of the longest window (1.954 ms), got "1.9ms" (string)'],
    [multiWindow,    { limits: [{ limit: 5, window: '1s' }, { limit: 9, window: '61s' }] },                         'slot: expected at most half of the shortest window (for windows more than a factor of 60 apart use two policies), got "508.334ms" (string)'],
    [fixedWindow,    { limit: 5 },                                                                                  'window: expected a duration such as "10s", or `every` instead, got undefined'],
    [fixedWindow,    { limit: 5, window: '1d', every: 'day', timeZone: 'UTC' },                                     'window: expected nothing beside `every`, got "1d" (string)'],
    [fixedWindow,    { limit: 5, every: 'day', timeZone: 'UTC', start: 'clock' },                                   'start: expected nothing without `window`, got "clock" (string)'],
    [fixedWindow,    { limit: 5, every: 'day' },                                                                    'timeZone: expected a time zone such as "Europe/Vienna" or "UTC", got undefined'],
    [fixedWindow,    { limit: 5, every: 'decade', timeZone: 'UTC' },                                                'every: expected a string such as "day", "week from wednesday" or "month from 31"; for hours window: "1h", start: "clock", got "decade" (string)'],
    [fixedWindow,    { limit: 5, every: 'day', timeZone: 'Europe/Wien' },                                           'timeZone: expected a time zone such as "Europe/Vienna" or "UTC", got "Europe/Wien" (string)'],
    [fixedWindow,    { limit: 5, every: 'day', timeZone: 1 },                                                       'timeZone: expected a time zone such as "Europe/Vienna" or "UTC", got 1 (number)'],
    [fixedWindow,    { limit: 5, every: 'day', timeZone: 'UTC', firstDayOfWeek: 'sunday' },                         'firstDayOfWeek: expected nothing unless `every` is "week", got "sunday" (string)'],
    [fixedWindow,    { limit: 5, every: 'week', timeZone: 'UTC', firstDayOfWeek: 'friday' },                        'firstDayOfWeek: expected "monday" or "saturday" or "sunday", got "friday" (string)'],
    [fixedWindow,    { limit: 5, window: '1d', timeZone: 'UTC' },                                                   'timeZone: expected nothing without `every`, got "UTC" (string)'],
    [fixedWindow,    { limit: 5, window: '1d', firstDayOfWeek: 'sunday' },                                          'firstDayOfWeek: expected nothing unless `every` is "week", got "sunday" (string)'],
    [gcra,           { count: 30_000, period: '1s' },                                                               'count: expected a rate of whole microseconds per unit within 0.5 % (nearest: 29412 or 30303; tokenBucket takes any rate), got 30000 (number)'],
    [gcra,           { count: 2_000_000, period: '1s' },                                                            'count: expected a rate of whole microseconds per unit within 0.5 % (nearest: 1000000; tokenBucket takes any rate)'],
    [gcra,           { count: 3_000_000, period: '1s' },                                                            'count: expected a rate of whole microseconds per unit within 0.5 % (nearest: 1000000; tokenBucket takes any rate)'],
    [gcra,           { count: 78, period: '1ms' },                                                                  'within 0.5 % (nearest: 77 or 83;'],
    [gcra,           { count: 5, period: '1s', burst: -1 },                                                         'burst: expected a whole number from 0 to '],
    [gcra,           { count: 5, period: '1s', burst: 1e15 },                                                       'burst: expected a whole number from 0 to '],
    [gcra,           { count: 5, period: '1s', maxDebt: -1 },                                                       `maxDebt: expected ${duration}`],
    [tokenBucket,    { capacity: 2 ** 52, count: 1, period: '1ms' },                                                'capacity: expected at most 4503599627370 at this rate (beyond it whole numbers are not exact)'],
    [leakyBucket,    { capacity: 1e12, count: 1, period: '366d' },                                                  'capacity: expected at most 142'],
    [concurrency,    { limit: 5, lease: '99ms' },                                                                   'lease: expected a duration from 100ms to 24h, got "99ms" (string)'],
    [concurrency,    { limit: 5, lease: 30 },                                                                       'lease: expected a duration from 100ms to 24h, got 30 (number)'],
    [concurrency,    { limit: 5, lease: '25h' },                                                                    'lease: expected a duration from 100ms to 24h, got "25h" (string)'],
  ])('are refused: %p(%j)', (make, given, expected) => {
    expect(complaint(make, given)).toContain(expected)
  })

  // biome-ignore format: a table
  it.each<[Make, object]>([
    // constructor   options at the edge
    [uniform,        { interval: 1 }],
    [uniform,        { interval: '1.001ms' }],
    [uniform,        { interval: '366d', maxDebt: 0 }],
    [fixedWindow,    { limit: 1, window: '500ms', start: 'clock' }],
    [fixedWindow,    { limit: Number.MAX_SAFE_INTEGER, window: '1.5s' }],
    [fixedWindow,    { limit: 1, every: 'week', timeZone: 'Europe/Vienna', firstDayOfWeek: 'saturday' }],
    [fixedWindow,    { limit: 1, every: 'month', timeZone: 'europe/vienna', window: undefined, start: undefined, firstDayOfWeek: undefined }],
    [fixedWindow,    { limit: 1, window: '1h', unit: undefined, blockFor: undefined }],
    [concurrency,    { limit: 1, unit: undefined }],
    [slidingWindowLog, { limit: 100_000, window: '30d' }],
    [multiWindow,    { limits: [{ limit: 5, window: '1s' }], slot: '500ms' }],
    [multiWindow,    { limits: [{ limit: 5, window: 512 }], slot: '1ms' }],
    [multiWindow,    { limits: [{ limit: 5, window: '1s' }, { limit: 9, window: '60s' }] }],
    [gcra,           { count: 1_000_000, period: '1s' }],
    [gcra,           { count: 1, period: '366d', burst: 0 }],
    [gcra,           { count: 7, period: '1s' }],
    [tokenBucket,    { capacity: 4_503_599_627_370, count: 1, period: '1ms' }],
    [tokenBucket,    { capacity: 1, count: 1_000_000_000, period: '1s' }],
    [concurrency,    { limit: 100_000, lease: '100ms' }],
    [concurrency,    { limit: 1, lease: '1d' }],
  ])('are right at the edge: %p(%j)', (make, given) => {
    expect(complaint(make, given)).toBe('nothing')
  })

  it('name counts that are right', () => {
    const rates = fc.record({
      count: fc.integer({ min: 1, max: 3_000_000 }),
      period: fc.integer({ min: 1, max: 5000 }),
    })
    fc.assert(
      fc.property(rates, ({ count, period }) => {
        const said = complaint(gcra, { count, period })
        const near = /nearest: (.+);/.exec(said)?.[1]?.split(' or ').map(Number) ?? []
        expect(new Set(near).size).toBe(near.length)
        expect(said === 'nothing').toBe(near.length === 0)
        for (const each of near) expect(complaint(gcra, { count: each, period })).toBe('nothing')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a policy', () => {
  // biome-ignore format: a table
  it.each([
    // policy                                                                             limit  windowMs
    [uniform({ interval: '10s' }),                                                        1,     10_000],
    [slidingWindowLog({ limit: 100, window: '10s' }),                                     100,   10_000],
    [fixedWindow({ limit: 5, window: 1.5 }),                                              5,     2],
    [attributedWindow({ limit: 5, window: '1m' }),                                        5,     60_000],
    [fairShare({ limit: 5, window: '1m' }),                                               5,     60_000],
    [slidingWindowCounter({ limit: 5, window: '1h' }),                                    5,     3_600_000],
    [multiWindow({ limits: [{ limit: 9, window: '10s' }, { limit: 4, window: '1s' }] }),  4,     10_000],
    [gcra({ count: 10, period: '1m' }),                                                   10,    60_000],
    [gcra({ count: 10, period: '1m', burst: 0 }),                                         1,     6000],
    [tokenBucket({ capacity: 50, count: 10, period: '1s' }),                              50,    5000],
    [leakyBucket({ capacity: 50, count: 10, period: '1s' }),                              50,    5000],
    [concurrency({ limit: 5 }),                                                           5,     null],
  ])('is frozen plain data: %j', (policy, limit, windowMs) => {
    expect(policy).toMatchObject({ type: 'sluice.policy', limit, windowMs })
    expect(Object.isFrozen(policy)).toBe(true)
    expect(Object.keys(policy)).toEqual(['type', 'strategy', 'limit', 'windowMs', 'can'])
  })

  it('is no policy unless a constructor has made it', () => {
    const copy = { ...fixedWindow({ limit: 5, window: '1s' }) }
    expect(() => createLimiter({ policy: copy })).toThrow('policy: expected a policy such as gcra({')
    expect(() => createLimiter({ policies: { a: copy } })).toThrow(
      'policies.a: expected a policy such as gcra({',
    )
  })
})

describe('a limiter', () => {
  const policy = fixedWindow({ limit: 5, window: '1s' })
  // biome-ignore format: a table
  it.each<[object, string]>([
    // options                                                  complaint
    [{},                                                        'policy: expected a policy such as gcra({ count: 100, period: "1m" }), or several as policies, got undefined'],
    [{ policies: {} },                                          'policies: expected at least one policy'],
    [{ policies: [policy] },                                    'policies: expected policies by name'],
    [{ policy, policies: { a: policy } },                       'policies: expected either policy or policies, not both'],
    [{ policies: { '': policy } },                              'policies.: expected a name of 1 to 100 characters'],
    [{ policies: { ['__proto__']: policy } },                   'policies.__proto__: expected a name of 1 to 100 characters'],
    [{ policy, name: '' },                                      'name: expected a name of 1 to 100 characters'],
    [{ policy, name: 'x'.repeat(101) },                         'name: expected a name of 1 to 100 characters'],
    [{ policy, charge: 'all' },                                 'charge: expected "all-or-nothing" or "every-level"'],
    [{ policy, shadow: 'yes' },                                 'shadow: expected true or false, got "yes" (string)'],
    [{ policies: { a: policy }, shadow: { b: true } },          'shadow.b: expected the name of a policy (did you mean "a"?)'],
    [{ policies: { a: policy }, shadow: { a: 1 } },             'shadow.a: expected true or false, got 1 (number)'],
    [{ policy, onStoreFailure: 'open' },                        'onStoreFailure: expected "local" or "allow" or "deny"'],
    [{ policies: { a: policy }, onStoreFailure: { a: 'no' } },  'onStoreFailure.a: expected "local" or "allow" or "deny"'],
    [{ policy, store: {} },                                     'store: expected a store such as memoryStore() or redisStore(…)'],
    [{ policy, store: null },                                   'store: expected a store such as memoryStore() or redisStore(…), got null'],
    [{ policy, store: 'redis://bob:p@ss@db:1/2' },              'redisStore(…), got "redis://…@db:1/2" (string)'],
    [{ policy, store: 'redis://db:1' },                         'redisStore(…), got "redis://db:1" (string)'],
    [{ policy, shadow: [] },                                    'shadow: expected true or false, got a list of 0'],
    [{ policy, onStoreFailure: new Map([['default', 'deny']]) }, 'onStoreFailure: expected "local" or "allow" or "deny", got an object (Map)'],
    [{ policy, tag: [1] },                                      'tag: expected a whole number of at least 1, got a list of 1'],
    [{ policy, observers: [{ lost() {} }, null] },              'observers[1]: expected an object with one of decided, adjusted, acted, '],
    [{ policy, observers: [[{ lost() {} }]] },                  'limiterOpened, limiterClosed, got a list'],
    [{ policy, observers: [{ onDecided() {} }] },               'observers[0]: expected an object with one of decided, '],
    [{ policy, observers: [new Map()] },                        'limiterClosed, got an object (Map)'],
    [{ policy, observers: ['decided'] },                        'got "decided" (string)'],
    [{ policy, observers: {} },                                 'observers: expected a list of observers'],
    [{ policy, logger: {} },                                    'logger: expected an object with warn() and error()'],
    [{ policy, polcies: {} },                                   'polcies: expected a known option (did you mean "policies"?)'],
  ])('with wrong options is refused at construction: %j', (given, expected) => {
    expect(complaint(createLimiter as Make, given)).toContain(expected)
  })

  it('says to a store that answers lists of questions what to write, and so does a guard', () => {
    const earlier = { name: 'mine', decide: async () => [[]], adjust() {}, manage() {}, async close() {} }
    const expected =
      'store: expected a store with answer(question), write answer: async (question) => (await decide([question]))[0], got an object'
    expect(complaint((store) => createLimiter({ policy, store }), earlier)).toBe(expected)
    expect(complaint((store) => guardedStore(store), earlier)).toBe(expected)
    const limiter = createLimiter({ policy })
    expect(complaint((store) => guardedStore(store), limiter)).toBe(
      'store: expected a store, got an object (PolicyLimiter)',
    )
  })
})

describe('policyFrom', () => {
  it('makes what the constructor of that name makes', () => {
    expect(policyFrom({ strategy: 'gcra', count: 100, period: '1m' })).toEqual(
      gcra({ count: 100, period: '1m' }),
    )
    expect(policyFrom({ strategy: 'multiWindow', limits: [{ limit: 5, window: '1s' }] })).toMatchObject({
      limit: 5,
    })
  })

  // biome-ignore format: a table
  it.each<[unknown, string]>([
    // data                                             complaint
    [{ strategy: 'gcr', count: 5 },                     '(did you mean "gcra"?), got "gcr" (string)'],
    [{ strategy: 'slidingwindowlog' },                  '(did you mean "slidingWindowLog"?), got "slidingwindowlog" (string)'],
    [{ strategy: '__proto__' },                         'strategy: expected one of attributedWindow, concurrency, fairShare, fixedWindow, gcra, leakyBucket, multiWindow, slidingWindowCounter, slidingWindowLog, tokenBucket, uniform, got "__proto__" (string)'],
    [{ strategy: 'constructor' },                       'strategy: expected one of attributedWindow,'],
    [{ strategy: gcra },                                'strategy: expected one of attributedWindow,'],
    [{},                                                'strategy: expected one of attributedWindow,'],
    [null,                                              'strategy: expected one of attributedWindow,'],
    ['gcra',                                            'strategy: expected one of attributedWindow,'],
    [{ strategy: 'gcra', count: 5, perid: '1s' },       'perid: expected a known option (did you mean "period"?)'],
    [{ strategy: 'gcra', count: '5', period: '1s' },    `count: expected ${amount}, got "5" (string)`],
  ])('refuses %j', (data, expected) => {
    expect(complaint(policyFrom as Make, data)).toContain(expected)
  })
})

describe('one policy and several', () => {
  const byName = 'policies by name such as { visitor: gcra({ … }) }, or policy: gcra({ … }) for one'
  const oneAlone = 'one policy, or policies: { visitor: gcra({ … }) } for several'

  // biome-ignore format: a table
  it.each<[unknown, string]>([
    // options                        complaint
    [{ policies: five },              `policies: expected ${byName}, got a policy (gcra)`],
    [{ policies: [five] },            `policies: expected ${byName}, got a list of 1`],
    [{ policies: gcra },              `policies: expected ${byName}, got a function (gcra)`],
    [{ policies: new Map([['visitor', five]]) }, `policies: expected ${byName}, got an object (Map)`],
    [{ policies: 'gcra' },            `policies: expected ${byName}, got "gcra" (string)`],
    [{ policy: [five] },              `policy: expected ${oneAlone}, got a list of 1`],
    [{ policy: { visitor: five } },   `policy: expected ${oneAlone}, got an object`],
    [five,                            'options: expected an object of options such as { policy: gcra({ … }) }, got a policy (gcra)'],
    [gcra,                            'options: expected an object of options such as { policy: gcra({ … }) }, got a function (gcra)'],
    [100,                             'options: expected an object of options such as { policy: gcra({ … }) }, got 100 (number)'],
    [undefined,                       'options: expected an object of options such as { policy: gcra({ … }) }, got undefined'],
    [new Map([['policy', five]]),     'options: expected an object of options such as { policy: gcra({ … }) }, got an object (Map)'],
  ])('are not taken for each other: %j', (given, expected) => {
    expect(complaint(createLimiter as Make, given)).toBe(expected)
  })
})

// biome-ignore format: a table
it.each<[string, () => unknown, string]>([
  ['a Map for a store in memory',  () => memoryStore(new Map() as object),                                     'options: expected an object of options such as { maxKeys: … }, got an object (Map)'],
  ['a Date for a store in Redis',  () => redisStore('redis://localhost', new Date() as object),                'options: expected an object of options such as { prefix: … }, got an object (Date)'],
  ['a Map for a policy',           () => fixedWindow(new Map() as object as { limit: number; window: '1m' }),  "options: expected an object of options such as { limit: 100, window: '1m' }, got an object (Map)"],
  ['an object of a class of options', () => memoryStore(new (class Settings { maxKeys = 5 })()),               'nothing'],
  ['an object of a class with getters', () => memoryStore(new (class Settings { get maxKeys() { return 5 } })()), 'nothing'],
  ['an unknown name in such an object', () => fixedWindow(new (class Quota { limit = 5; window = '1m' as const; grace = '1s' })()), `options: expected an object of options such as { limit: 100, window: '1m' } without "grace", got an object (Quota)`],
  ['a store among whose names is an option', () => (createLimiter as Make)(memoryStore() as never), 'options: expected an object of options such as { policy: gcra({ … }) }, got an object (MemoryStore)'],
  ['no option at all',             () => memoryStore({}),                                                      'nothing'],
])('%s', (_title, make, expected) => {
  expect(complaint(make, {})).toBe(expected)
})

it('the line of the caller is among the ten that Node prints of an error', () => {
  const five = gcra({ count: 5, period: '1m' })
  const callOfUser = () => createLimiter({ policy: five, onStoreFailure: 'open' as 'local' })
  const { stackTraceLimit } = Error
  let stack: string | undefined
  try {
    Error.stackTraceLimit = 10
    callOfUser()
  } catch (error) {
    stack = (error as Error).stack
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
  expect(stack).toContain('callOfUser')
})
