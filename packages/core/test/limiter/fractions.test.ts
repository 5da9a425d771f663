import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  multiWindow,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../../src/index.ts'
import { partsOf } from '../../src/strategies/policy-parts.ts'
import { unitsOf } from '../../src/strategies/unit.ts'

const dollars = fixedWindow({ limit: 5, window: '1h', unit: 0.000001 })

describe('a policy with a unit below 1', () => {
  it('counts costs with as many digits exactly', async () => {
    const limiter = createLimiter({ policy: dollars })
    expect(await limiter.check('bob', { cost: 0.1 + 0.2 })).toMatchObject({
      cost: 0.3,
      limit: 5,
      remaining: 4.7,
    })
    for (let i = 0; i < 47; i++) await limiter.check('bob', { cost: 0.1 })
    expect(await limiter.check('bob', { cost: 0.000001 })).toMatchObject({ allowed: false, remaining: 0 })
    // A cost of 1 is an amount of 1.
    expect(await limiter.check('eve')).toMatchObject({ cost: 1, remaining: 4 })
    expect(await limiter.check('eve', { cost: 4.000001 })).toMatchObject({ allowed: false, remaining: 4 })
    expect((await limiter.check('eve', { cost: 4 })).summary).toEqual([0, 5, 0, -1, expect.any(Number)])
  })

  it('settles, penalizes, rewards and sets amounts', async () => {
    const corrected: number[] = []
    const observers = [{ adjusted: ({ units }: { units: number }) => void corrected.push(units) }]
    const limiter = createLimiter({ policy: dollars, observers })
    const decision = await limiter.check('bob', { cost: 0.5 })
    await decision.settle(0.123456)
    expect(corrected).toEqual([-0.376544])
    expect(await limiter.peek('bob', { cost: 0 })).toMatchObject({ remaining: 4.876544 })
    await limiter.penalize('bob', 0.876544)
    await limiter.reward('bob', 0.5)
    expect(await limiter.peek('bob', { cost: 0 })).toMatchObject({ remaining: 4.5 })
    await limiter.set('bob', 4.999999)
    // What a check for one unit would answer, which is less than an amount of 1.
    expect((await limiter.inspect('bob')).default).toMatchObject({
      allowed: true,
      cost: 0.000001,
      limit: 5,
      remaining: 0.000001,
    })
    await expect(limiter.penalize('bob', 0.0000001)).rejects.toMatchObject({ code: 'SLUICE_OPTION' })
  })

  it('takes as much as fits, in units of the coarsest policy', async () => {
    const policies = {
      fine: fixedWindow({ limit: 2.75, window: '1h', unit: 0.01 }),
      coarse: fixedWindow({ limit: 9, window: '1h' }),
    }
    const limiter = createLimiter({ policies })
    expect(await limiter.check('bob', { cost: 5, take: 'up-to' })).toMatchObject({ taken: 2 })
    const alone = createLimiter({ policy: policies.fine })
    expect(await alone.check('bob', { cost: 5.5, take: 'up-to' })).toMatchObject({
      taken: 2.75,
      remaining: 0,
    })
  })

  it('has prices with as many digits as its policies count', async () => {
    const limiter = createLimiter({ policy: dollars, prices: { mini: 0.00015, large: 0.01 } })
    expect(await limiter.check('bob', { cost: 'mini' })).toMatchObject({ cost: 0.00015, remaining: 4.99985 })
    expect(() =>
      createLimiter({ policy: fixedWindow({ limit: 5, window: '1h' }), prices: { mini: 0.5 } }),
    ).toThrow(expect.objectContaining({ path: 'prices.mini' }))
  })

  it('counts apart from the same policy with another unit', async () => {
    const store = memoryStore()
    const limiter = createLimiter({ policy: fixedWindow({ limit: 5, window: '1h' }), store })
    await limiter.check('bob', { cost: 5 })
    expect(await limiter.check('bob', { cost: 0.5, policy: dollars })).toMatchObject({ remaining: 4.5 })
    expect(await limiter.peek('bob')).toMatchObject({ allowed: false })
  })

  // biome-ignore format: a table
  const units = [
    // policy                                                                              limit      in units
    [tokenBucket({ capacity: 2.5, count: 0.5, period: '1s', unit: 0.1 }),                    2.5,      25],
    [gcra({ count: 10, period: '1m', unit: 0.1 }),                                          10,       100],
    [gcra({ count: 10, period: '1m', burst: 2, unit: 0.1 }),                                 3,        30],
    [multiWindow({ limits: [{ limit: 0.25, window: '1s' }, { limit: 1.5, window: '1m' }], unit: 0.01 }), 0.25, 25],
    [slidingWindowLog({ limit: 100, window: '1m', unit: 0.001 }),                          100,   100_000],
    [fixedWindow({ limit: 9_007_199_254.74, window: '1m', unit: 0.000001 }), 9_007_199_254.74, 9_007_199_254_740_000],
    [fixedWindow({ limit: 3, window: '1m', unit: 1 }),                                       3,         3],
  ] as const
  it.each(units)('%j has whole units inside', (policy, limit, inside) => {
    expect([policy.limit, partsOf(policy).units]).toEqual([limit, inside])
  })

  // biome-ignore format: a table
  const mistakes: readonly (readonly [() => unknown, string, string])[] = [
    [() => fixedWindow({ limit: 0.001, window: '1m', unit: 0.01 }), 'limit', '2 digits'],
    [() => fixedWindow({ limit: 9_007_199_255, window: '1m', unit: 0.000001 }), 'limit', 'at most 9007199254'],
    [() => slidingWindowLog({ limit: 101, window: '1m', unit: 0.001 }), 'limit', 'in units of 0.001'],
    [() => multiWindow({ limits: [{ limit: 0.255, window: '1s' }], unit: 0.01 }), 'limits[0].limit', '2 digits'],
    [() => fixedWindow({ limit: 1, window: '1m', unit: 0.5 as 0.1 }), 'unit', 'one of 1, 0.1'],
    [() => fixedWindow({ limit: 0.5, window: '1m' }), 'limit', 'a whole number'],
    [() => uniform({ interval: '1s', unit: 0.1 } as never), 'unit', 'counts no amounts'],
    [() => concurrency({ limit: 1, unit: 0.1 } as never), 'unit', 'counts no amounts'],
  ]
  it.each(mistakes)('%s is an OptionError', (make, path, expected) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path, expected: expect.stringContaining(expected) }),
    )
  })
})

describe('unitsOf', () => {
  it('reads every amount as it is written, and sums of them', () => {
    const written = fc.record({ digits: fc.nat(6), units: fc.nat(2 ** 51), other: fc.nat(2 ** 20) })
    fc.assert(
      fc.property(written, ({ digits, units, other }) => {
        const scale = 10 ** digits
        expect(unitsOf(units / scale, scale)).toBe(units)
        if (units < 2 ** 40) expect(unitsOf(units / scale + other / scale, scale)).toBe(units + other)
      }),
    )
  })

  // biome-ignore format: a table
  const none = [
    // amount         scale
    [0.0000001,       1e6],
    [0.1000005,       1e6],
    [0.25,            10],
    [-0.1,            10],
    [Number.NaN,      10],
    [Infinity,        10],
    [2 ** 53 / 10,    10],
    [1.0001,          1],
  ] as const
  it.each(none)('%d is no amount of units of which 1 has %d', (amount, scale) => {
    expect(unitsOf(amount, scale)).toBeNaN()
  })
})
