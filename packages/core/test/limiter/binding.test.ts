import { describe, expect, it } from '@jest/globals'
import { answering, rowOf, type ShortRow } from '@sluice/conformance/internal'
import { createLimiter, fixedWindow, type Policy, type Summary, uniform } from '../../src/index.ts'

const short = fixedWindow({ limit: 10, window: '1s' })
const long = fixedWindow({ limit: 10, window: '1h' })
const gate = uniform({ interval: '1s' })

interface Case {
  readonly policies: { readonly [name: string]: Policy }
  readonly cost?: number | { readonly [name: string]: number }
  readonly rows: readonly ShortRow[]
}

async function decide({ policies, cost, rows }: Case) {
  const limiter = createLimiter({ policies, store: answering(rows.map((row) => rowOf(row))) })
  return limiter.check('bob', { cost })
}

describe('the verdict that a refusal reads as', () => {
  // biome-ignore format: a table
  it.each<[string, Case['policies'], ShortRow[], string, number | null]>([
    // rule                                        policies                      rows                                                                    binds  stated wait
    ['the only refusal',                           { a: short, b: short },       [['allowed', 0, 0, 5], ['limited', 5, 2_000_000, 5]],                   'b',   2000],
    ['the longest wait',                           { a: short, b: short },       [['limited', 0, 3_000_000, 5], ['limited', 0, 2_000_000, 5]],           'a',   3000],
    ['the longest wait, wherever it stands',       { a: short, b: short },       [['limited', 0, 2_000_000, 5], ['blocked', 0, 3_000_000, 5]],           'b',   3000],
    ['never is the longest wait',                  { a: short, b: short },       [['limited', 0, 9e12, 5], ['too-costly', 9, -1, 5]],                    'b',   null],
    ['never, also before',                         { a: short, b: short },       [['too-costly', 9, -1, 5], ['limited', 0, 9e12, 5]],                    'a',   null],
    ['of two equal waits the longer window',       { a: short, b: long },        [['limited', 0, 7, 5], ['limited', 0, 7, 5]],                           'b',   1],
    ['of two nevers the longer window',            { a: short, b: long },        [['too-costly', 0, -1, 5], ['too-costly', 0, -1, 5]],                   'b',   null],
    ['of two equal windows the first',             { a: long, b: long },         [['limited', 0, 7, 5], ['limited', 0, 7, 5]],                           'a',   1],
    ['a wait of 1 µs is reported as 1 ms',         { a: short },                 [['limited', 0, 1, 1]],                                                 'a',   1],
    ['a wait of 1000.001 ms is reported as 1001 ms', { a: short },                 [['limited', 0, 1_000_001, 5]],                                         'a',   1001],
  ])('is that of %s', async (_rule, policies, rows, policy, retryAfterMs) => {
    const decision = await decide({ policies, rows })
    expect(decision).toMatchObject({ allowed: false, policy, retryAfterMs, limiter: 'default', source: 'mine' })
  })

  // biome-ignore format: a table
  it.each<[string, ShortRow[], string, number | null, number | null]>([
    // rule                                                    rows: refused, allowed and charged                                    binds  its own wait  the decision's
    ['a parent that was charged meanwhile waits longer',       [['limited', 0, 2_000_000, 5], ['allowed', 0, 60_000_000, 5]],       'a',   2000,         60_000],
    ['a parent that would pass again at once waits less',      [['limited', 0, 2_000_000, 5], ['allowed', 3, 0, 5]],                'a',   2000,         2000],
    ['a parent that never would',                              [['limited', 0, 2_000_000, 5], ['allowed', 3, -1, 5]],               'a',   2000,         null],
  ])('states the longest wait over all levels: %s', async (_rule, rows, policy, ownMs, retryAfterMs) => {
    const decision = await decide({ policies: { a: short, b: long }, rows })
    expect(decision).toMatchObject({ allowed: false, policy, retryAfterMs })
    expect(decision.verdicts.a?.retryAfterMs).toBe(ownMs)
    expect(decision.verdicts.b?.retryAfterMs).toBeNull()
  })
})

describe('the verdict that an admission reads as', () => {
  // biome-ignore format: a table
  it.each<[string, Case['policies'], Case['cost'], ShortRow[], string]>([
    // rule                                         policies                  cost               rows                                          binds
    ['the fewest further requests',                 { a: short, b: short },   1,                 [['allowed', 3, 0, 5], ['allowed', 2, 0, 5]], 'b'],
    ['requests, not units: 9 of 5 each is one',     { a: short, b: short },   { a: 1, b: 5 },    [['allowed', 3, 0, 5], ['allowed', 9, 0, 5]], 'b'],
    ['whole requests: 9 of 5 and 5 of 5 are one',   { a: short, b: short },   5,                 [['allowed', 9, 0, 5], ['allowed', 5, 0, 5]], 'a'],
    ['a cost of 0 counts as 1',                     { a: short, b: short },   { a: 0, b: 3 },    [['allowed', 3, 0, 5], ['allowed', 8, 0, 5]], 'b'],
    ['any cost counts as 1 at a gate',              { a: gate, b: short },    { a: 9, b: 1 },    [['allowed', 1, 0, 5], ['allowed', 0, 0, 5]], 'b'],
    ['any cost counts as 1 at a gate, also first',  { a: short, b: gate },    { a: 1, b: 9 },    [['allowed', 2, 0, 5], ['allowed', 1, 0, 5]], 'b'],
    ['of two equal ones the longer window',         { a: short, b: long },    1,                 [['allowed', 3, 0, 5], ['allowed', 3, 0, 5]], 'b'],
    ['of two equal windows the first',              { a: long, b: long },     1,                 [['allowed', 3, 0, 5], ['allowed', 3, 0, 5]], 'a'],
  ])('is that of %s', async (_rule, policies, cost, rows, policy) => {
    const decision = await decide({ policies, rows, ...(cost === undefined ? {} : { cost }) })
    expect(decision).toMatchObject({ allowed: true, reason: null, policy, retryAfterMs: null })
  })
})

describe('the five numbers', () => {
  // biome-ignore format: a table
  it.each<[string, ShortRow[], Summary]>([
    // what                                      rows                                                                          limited, limit, remaining, retry, reset in s
    ['one level, truncated',                     [['limited', 0, 1_999_999, 2_999_999]],                                       [1, 10, 0, 1, 2]],
    ['less than a second',                       [['limited', 0, 999_999, 999_999]],                                           [1, 10, 0, 0, 0]],
    ['allowed',                                  [['allowed', 4, 0, 2_999_999]],                                               [0, 10, 4, -1, 2]],
    ['each number from a level of its own',      [['limited', 5, 7_000_000, 8_000_000], ['allowed', 4, 0, 60_000_000]],        [1, 10, 4, 7, 60]],
    ['never wins over any wait',                 [['limited', 0, 7_000_000, 0], ['too-costly', 4, -1, 0]],                     [1, 10, 0, -1, 0]],
  ])('are folded of all levels: %s', async (_what, rows, summary) => {
    const policies = Object.fromEntries(rows.map((_, i) => [`p${i}`, short]))
    expect((await decide({ policies, rows })).summary).toEqual(summary)
  })
})
