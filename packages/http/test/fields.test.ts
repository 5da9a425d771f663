import { describe, expect, it } from '@jest/globals'
import type { Decision } from '@sluice/core'
import { retryAfterSeconds, secondsUp, wireName } from '@sluice/core/internal'
import fc from 'fast-check'
import { isInnerList, parseList } from 'structured-headers'
import {
  type FieldVerdict,
  limitItem,
  policyItem,
  quotaOf,
  resetOf,
  xResetEpochSeconds,
} from '../src/fields.ts'

describe('secondsUp', () => {
  // biome-ignore format: a table
  it.each([
    // ms                seconds
    [0,                  0],
    [0.001,              1],
    [1,                  1],
    [999.999,            1],
    [1000,               1],
    [1000.001,           2],
    [6800,               7],
    [10_000,             10],
    [2_592_000_000.001,  2_592_001],
    [-1,                 0],
    [Number.NaN,         0],
    [1e21,               999_999_999_999_999],
    [Infinity,           999_999_999_999_999],
  ])('rounds %d ms up to %d s', (ms, seconds) => {
    expect(secondsUp(ms)).toBe(seconds)
  })

  it('is never shorter than the wait and never a second longer, to the microsecond', () => {
    fc.assert(
      fc.property(fc.nat(366 * 86_400 * 1e6), (us) => {
        expect(secondsUp(us / 1000)).toBe(Math.ceil(us / 1e6))
      }),
    )
  })
})

describe('retryAfterSeconds', () => {
  // biome-ignore format: a table
  it.each([
    // ms      seconds
    [0,        1],
    [0.001,    1],
    [120,      1],
    [1000,     1],
    [1000.001, 2],
    [6800,     7],
  ])('asks a client that must wait %d ms to come back in %d s', (ms, seconds) => {
    expect(retryAfterSeconds(ms)).toBe(seconds)
  })
})

describe('xResetEpochSeconds', () => {
  // biome-ignore format: a table
  it.each([
    // reset after ms   now ms                epoch s
    [0,                 1_800_000_000_000,    1_800_000_000],
    [10_000,            1_800_000_000_000,    1_800_000_010],
    [6800,              1_800_000_000_000,    1_800_000_007],
    [6800,              1_800_000_000_100,    1_800_000_007],
    [6800,              1_800_000_000_500,    1_800_000_008],
    [0.001,             1_800_000_000_000,    1_800_000_001],
  ])('is the first whole second not before %d ms after %d', (resetAfterMs, nowMs, seconds) => {
    expect(xResetEpochSeconds(resetAfterMs, nowMs)).toBe(seconds)
  })

  it('lies within a second of the Date field plus the delta', () => {
    const now = fc.integer({ min: 1_700_000_000_000, max: 4_000_000_000_000 })
    fc.assert(
      fc.property(now, fc.nat(2_592_000_000), (nowMs, resetAfterMs) => {
        const date = Math.floor(nowMs / 1000)
        expect(
          Math.abs(xResetEpochSeconds(resetAfterMs, nowMs) - date - secondsUp(resetAfterMs)),
        ).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('wireName', () => {
  // biome-ignore format: a table
  it.each([
    // name                on the wire
    ['tickets',            'tickets'],
    ['tickets.visitor',    'tickets.visitor'],
    ['user:*:trade',       'user:*:trade'],
    ['two words',          'two words'],
    ["!#$&'()+,-/;<=>?@[]^_`{|}~", "!#$&'()+,-/;<=>?@[]^_`{|}~"],
    ['100%',               '100%25'],
    ['say "hi"',           'say %22hi%22'],
    ['back\\slash',        'back%5Cslash'],
    ['a\r\nX-Evil: 1',     'a%0D%0AX-Evil: 1'],
    ['\u0000\u007f',       '%00%7F'],
    ['Füttern',            'F%C3%BCttern'],
    ['虎',                  '%E8%99%8E'],
    ['🐅',                 '%F0%9F%90%85'],
    ['half \ud83d',        'half %EF%BF%BD'],
    ['',                   ''],
  ])('writes %j as %j', (name, wire) => {
    expect(wireName(name)).toBe(wire)
  })

  it('keeps different names different and can be read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(decodeURIComponent(wireName(name))).toBe(name)
      }),
    )
  })
})

describe('policyItem', () => {
  // biome-ignore format: a table
  it.each([
    // name         limit  window ms       in flight  item
    ['tickets',         2, 10_000,         false,     '"tickets";q=2;w=10'],
    ['tickets',         2, 1000,           false,     '"tickets";q=2;w=1'],
    ['tickets',         2, 1000.001,       false,     '"tickets";q=2;w=2'],
    ['tickets',         2, 1500,           false,     '"tickets";q=2;w=2'],
    ['tickets',         2, 999.999,        false,     '"tickets";q=2'],
    ['tickets',         2, 500,            false,     '"tickets";q=2'],
    ['tickets',         2, null,           false,     '"tickets";q=2'],
    ['monthly',      7000, 2_592_000_000,  false,     '"monthly";q=7000;w=2592000'],
    ['spend',         2.5, 3_600_000,      false,     '"spend";q=2;w=3600'],
    ['uploads',         5, null,           true,      '"uploads";q=5;qu="concurrent-requests"'],
    ['uploads',         5, 30_000,         true,      '"uploads";q=5;qu="concurrent-requests"'],
    ['huge',         1e15, 1e21,           false,     '"huge";q=999999999999999;w=999999999999999'],
    ['none',     Infinity, Infinity,       false,     '"none";q=999999999999999;w=999999999999999'],
  ])('describes %s, %d per %d ms', (name, limit, windowMs, inFlight, item) => {
    expect(policyItem(name, limit, windowMs, inFlight)).toBe(item)
  })
})

describe('limitItem', () => {
  // biome-ignore format: a table
  it.each([
    // allowed  remaining  reset ms  retry ms  in flight  item
    [true,              1,   10_000,     null,     false, '"tickets";r=1;t=10'],
    [true,           2.25,   10_000,     null,     false, '"tickets";r=2;t=10'],
    [true,              0,     6800,     null,     false, '"tickets";r=0;t=7'],
    [true,              2,        0,     null,     false, '"tickets";r=2;t=0'],
    [false,             0,     6800,     6800,     false, '"tickets";r=0;t=7'],
    [false,             0,   32_000,   2000.1,     false, '"tickets";r=0;t=3'],
    [false,             1,     6800,     6800,     false, '"tickets";r=1;t=7'],
    [false,             0,      120,      120,     false, '"tickets";r=0;t=1'],
    [false,             0,        0,        0,     false, '"tickets";r=0;t=1'],
    [false,             2,     6800,     null,     false, '"tickets";r=2'],
    [true,              3,   30_000,     null,      true, '"tickets";r=3'],
    [false,             0,   30_000,   30_000,      true, '"tickets";r=0'],
    [true,       Infinity, Infinity,     null,     false, '"tickets";r=999999999999999;t=999999999999999'],
    [true,           -0.5,       -1,     null,     false, '"tickets";r=0;t=0'],
  ])('allowed %p, %d left, reset %d ms, retry %p ms', (allowed, remaining, resetAfterMs, retryAfterMs, inFlight, item) => {
    const verdict = { policy: 'tickets', allowed, remaining, resetAfterMs, retryAfterMs, inFlight }
    expect(limitItem(verdict)).toBe(item)
  })

  it('states the wait of a refusal in the seconds of Retry-After', () => {
    fc.assert(
      fc.property(fc.nat(1e12), (us) => {
        const verdict = {
          policy: 'p',
          allowed: false,
          remaining: 0,
          resetAfterMs: 0,
          retryAfterMs: us / 1000,
          inFlight: false,
        }
        expect(limitItem(verdict)).toBe(`"p";r=0;t=${retryAfterSeconds(us / 1000)}`)
      }),
    )
  })
})

describe('quotaOf', () => {
  // biome-ignore format: a table
  it.each([
    // limit  window ms       item
    [100,     60_000,         '100;w=60'],
    [2,       1000.001,       '2;w=2'],
    [2,       500,            '2;w=1'],
    [2,       null,           undefined],
    [2,       0,              undefined],
    [1e21,    Infinity,       '999999999999999;w=999999999999999'],
    [Number.NaN, 1000,        '0;w=1'],
  ])('describes %d per %p ms', (limit, windowMs, item) => {
    expect(quotaOf(limit, windowMs)?.item).toBe(item)
  })
})

describe('both fields', () => {
  it('parse as lists of strings with integers in range, under equal names', () => {
    const number = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.double({ min: 0, noNaN: true }), fc.double())
    const verdicts: fc.Arbitrary<FieldVerdict & Quoted> = fc.record({
      policy: fc.string({ unit: 'binary' }).map(wireName),
      limit: number,
      remaining: number,
      resetAfterMs: number,
      retryAfterMs: fc.option(number),
      allowed: fc.boolean(),
      windowMs: fc.option(number),
      inFlight: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(verdicts, { minLength: 1, maxLength: 5 }), (list) => {
        const policies = parse(
          list.map((v) => policyItem(v.policy, v.limit, v.windowMs, v.inFlight)).join(', '),
        )
        const limits = parse(list.map(limitItem).join(', '))
        const names = list.map((v) => v.policy)
        expect(policies.map((item) => item.name)).toEqual(names)
        expect(limits.map((item) => item.name)).toEqual(names)
        for (const { parameters } of policies) {
          expect(parameters.get('q')).toEqual(expect.any(Number))
          expect(parameters.get('w')).not.toBe(0)
        }
        for (const { parameters } of limits) expect(parameters.get('r')).toEqual(expect.any(Number))
        for (const { parameters } of [...policies, ...limits]) {
          for (const [name, value] of parameters) {
            if (name === 'qu') expect(value).toBe('concurrent-requests')
            else expect(Number.isSafeInteger(value) && Number(value) >= 0).toBe(true)
          }
        }
      }),
      { numRuns: 1000 },
    )
  })
})

/** What `policyItem` needs besides. */
interface Quoted {
  readonly limit: number
  readonly windowMs: number | null
}

interface ParsedItem {
  readonly name: unknown
  readonly parameters: ReadonlyMap<string, unknown>
}

function parse(field: string): readonly ParsedItem[] {
  return parseList(field).map((item) => {
    if (isInnerList(item)) throw new Error(`an inner list in ${field}`)
    return { name: item[0], parameters: item[1] }
  })
}

// biome-ignore format: a table
it.each([
  // waited    until all is there again, when it was decided    when its time has come
  [0,          5000,                                            5000],
  [1000,       5000,                                            4000],
  [6000,       5000,                                               0],
])('a request that was held for %i ms says of a reset in %i ms what is left of it', (waitMs, resetAfterMs, left) => {
  const decision = { waitMs } as Decision // as much of one as is read
  expect(resetOf(decision, { resetAfterMs })).toBe(left)
})
