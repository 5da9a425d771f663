import { describe, expect, it } from '@jest/globals'
import { randomOf } from '../../src/compare/traffic/random.ts'
import { type Ask, type Crowd, clientsPerLoop, plan } from '../../src/crowd/plan.ts'

const steady: Crowd = { names: 20, newcomers: false, pace: 'steady', maxDelayMs: 250 }
const size = { loops: 400, seconds: 22 }

function planned(crowd: Partial<Crowd>, { loops, seconds } = size): readonly Ask[] {
  return plan({ ...steady, ...crowd }, { loops, seconds }, randomOf(6))
}

function names(asks: readonly Ask[]): ReadonlySet<string> {
  return new Set(asks.map(({ visitor }) => visitor))
}

function askedBetween(asks: readonly Ask[], fromMs: number, toMs: number): number {
  return asks.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length
}

// biome-ignore format: a table
const crowds = [
  // what            crowd                                             size
  ['steady',         {},                                               size],
  ['a rush',         { pace: 'rush' },                                 size],
  ['long delays',    { maxDelayMs: 5000 },                         size],
  ['newcomers',      { newcomers: true },                              size],
  ['a short test',   { pace: 'rush', maxDelayMs: 5000 },           { loops: 10, seconds: 1 }],
  ['one loop',       {},                                               { loops: 1, seconds: 22 }],
] as const

describe.each(crowds)('a plan: %s', (_what, crowd, { loops, seconds }) => {
  const asks = planned(crowd, { loops, seconds })
  const instants = asks.map(({ atMs }) => atMs)

  it('has so many clients in each loop', () => {
    expect(asks).toHaveLength(loops * clientsPerLoop)
  })

  it('is in the order of time, and within the test', () => {
    expect(instants).toEqual([...instants].sort((a, b) => a - b))
    expect(instants[0]).toBeGreaterThanOrEqual(0)
    expect(instants.at(-1)).toBeLessThanOrEqual(seconds * 1000)
  })
})

it('takes all names, and no others', () => {
  expect([...names(planned({}))].sort()).toEqual(
    Array.from({ length: 20 }, (_, i) => `client-${i + 1}`).sort(),
  )
})

it('has somebody new in each loop, who takes the place of another', () => {
  const asks = planned({ newcomers: true, maxDelayMs: 0 })
  expect(names(asks).size).toBeGreaterThan(size.loops)
  for (const [loop, five] of loopsOf(asks).entries()) {
    const numbers = five.map(({ visitor }) => Number(visitor.replace('client-', '')))
    // Of 20 names the newest is the newcomer's, and it is asked for at least once.
    expect(Math.max(...numbers)).toBe(21 + loop)
    expect(Math.min(...numbers)).toBeGreaterThan(1 + loop)
  }
})

it('asks when its loop begins, and no later than the longest delay', () => {
  const few = { loops: 20, seconds: 22 }
  const begin = plan({ ...steady, maxDelayMs: 0 }, few, () => 0.5)
  const late = plan({ ...steady, maxDelayMs: 250 }, few, () => 0.5)
  expect(late.map(({ atMs }) => atMs)).toEqual(begin.map(({ atMs }) => atMs + 125))
})

it('turns back at the end what would come after it', () => {
  const [ask] = plan({ ...steady, maxDelayMs: 2000 }, { loops: 1, seconds: 1 }, () => 0.75)
  expect(ask?.atMs).toBeCloseTo(0)
  const [other] = plan({ ...steady, maxDelayMs: 800 }, { loops: 1, seconds: 1 }, () => 0.75)
  expect(other?.atMs).toBe(650)
})

it('spreads a steady load evenly', () => {
  const asks = planned({ maxDelayMs: 0 })
  for (let second = 0; second < 22; second++) {
    expect(askedBetween(asks, second * 1000, second * 1000 + 1000) / 2000).toBeCloseTo(1 / 22, 2)
  }
})

// biome-ignore format: a table
it.each([
  // from        to        share of all: 8 s of density 1, 5 s of 8, 9 s of 3
  [0,            8000,      8 / 75],
  [8000,         13_000,   40 / 75],
  [13_000,       22_000,   27 / 75],
])('rushes from the eighth second on: %d to %d ms', (fromMs, toMs, share) => {
  const asks = planned({ pace: 'rush', maxDelayMs: 0 })
  expect(askedBetween(asks, fromMs, toMs) / asks.length).toBeCloseTo(share, 2)
})

/** Without delays those of a loop come together. */
function loopsOf(asks: readonly Ask[]): readonly (readonly Ask[])[] {
  return Array.from({ length: asks.length / clientsPerLoop }, (_, loop) =>
    asks.slice(loop * clientsPerLoop, (loop + 1) * clientsPerLoop),
  )
}
