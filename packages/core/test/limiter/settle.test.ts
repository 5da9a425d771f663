import { describe, expect, it } from '@jest/globals'
import { answering, rowOf } from '@sluice/conformance/internal'
import { manualClock } from '@sluice/testing'
import { createLimiter, fixedWindow, memoryStore, slidingWindowLog, uniform } from '../../src/index.ts'

const ten = slidingWindowLog({ limit: 10, window: '10s' })

function onMemory() {
  const clock = manualClock()
  return { clock, limiter: createLimiter({ policy: ten, store: memoryStore({ clock }) }) }
}

describe('a decision', () => {
  // biome-ignore format: a table
  it.each([
    // cost  true cost  left of ten
    [4,      4,         6],
    [4,      1,         9],
    [4,      0,         10],
    [4,      9,         1],
    [4,      12,        0],
    [0,      5,         10],
  ])('of cost %d settled to %d leaves %i', async (cost, trueCost, remaining) => {
    const { limiter } = onMemory()
    const decision = await limiter.check('bob', { cost })
    await decision.settle(trueCost)
    expect((await limiter.peek('bob')).remaining).toBe(remaining)
  })

  it('is corrected once, however often and however fast it is asked', async () => {
    const { limiter } = onMemory()
    await limiter.check('bob', { cost: 5 })
    const decision = await limiter.check('bob', { cost: 3 })
    await Promise.all([decision.refund(), decision.refund(), decision.settle(1), decision.settle(9)])
    await decision.settle(9)
    expect((await limiter.peek('bob')).remaining).toBe(5)
  })

  it('gives back its own charge, not the newest', async () => {
    const { limiter, clock } = onMemory()
    const first = await limiter.check('bob', { cost: 3 })
    await clock.advance('4s')
    await limiter.check('bob', { cost: 5 })
    await first.refund()
    await clock.advance('6s')
    // Three of the eight were four seconds older: they are the ones that are gone.
    expect((await limiter.peek('bob')).remaining).toBe(5)
  })

  it('that refused has nothing to give back', async () => {
    const { limiter } = onMemory()
    await limiter.check('bob', { cost: 9 })
    const refused = await limiter.check('bob', { cost: 2 })
    expect(refused.allowed).toBe(false)
    await refused.refund()
    await refused.settle(1)
    expect((await limiter.peek('bob')).remaining).toBe(1)
  })

  it('of a peek has nothing to give back', async () => {
    const { limiter } = onMemory()
    await limiter.check('bob', { cost: 4 })
    await (await limiter.peek('bob', { cost: 4 })).refund()
    expect((await limiter.peek('bob')).remaining).toBe(6)
  })

  it('settles each policy by itself', async () => {
    const limiter = createLimiter({
      store: memoryStore({ clock: manualClock() }),
      policies: { tokens: ten, requests: ten },
    })
    const decision = await limiter.check('bob', { cost: { tokens: 6 } })
    await decision.settle({ tokens: 2 })
    const { verdicts } = await limiter.peek('bob')
    expect([verdicts.tokens?.remaining, verdicts.requests?.remaining]).toEqual([8, 9])
  })

  it('is given back in all policies where nobody was refused', async () => {
    const limiter = createLimiter({
      store: memoryStore({ clock: manualClock() }),
      policies: { visitor: uniform({ interval: '10s' }), attraction: ten },
    })
    const decision = await limiter.check(
      { visitor: 'bob', attraction: 'tigers' },
      { cost: { attraction: 2 } },
    )
    await decision.refund()
    const { verdicts } = await limiter.peek({ visitor: 'bob', attraction: 'tigers' })
    expect([verdicts.visitor?.remaining, verdicts.attraction?.remaining]).toEqual([1, 10])
  })

  it('at a gate stays one request, whatever its true cost', async () => {
    const limiter = createLimiter({
      store: memoryStore({ clock: manualClock() }),
      policy: uniform({ interval: '10s' }),
    })
    const decision = await limiter.check('bob', { cost: 2 })
    await decision.settle(50)
    expect((await limiter.peek('bob')).resetAfterMs).toBe(10_000)
  })

  it('brings its receipt, and nothing where there is none', async () => {
    const store = answering([rowOf(['allowed', 5, 0, 0]), { ...rowOf(['allowed', 5, 0, 0]), receipt: '' }])
    const limiter = createLimiter({ store, policies: { a: ten, b: ten } })
    await (await limiter.check('bob', { cost: 3 })).settle(1)
    expect(store.changes).toMatchObject([{ receipt: 'taken', byUnits: -2, check: { key: 'bob', cost: 3 } }])
    expect(store.changes).toHaveLength(1)
  })

  // biome-ignore format: a table
  it.each<[unknown, string]>([
    // no cost                    what the warning says of it
    [Number.NaN,                  'NaN (number)'],
    [-1,                          '-1 (number)'],
    [1.5,                         '1.5 (number)'],
    [Number.POSITIVE_INFINITY,    'Infinity (number)'],
    ['3',                         '"3" (string)'],
    [null,                        'null'],
    [() => 3,                     'a function'],
    [{ default: Number.NaN },     'NaN (number)'],
  ])('takes no notice of a true cost of %p but by a warning, and may still be settled', async (cost, got) => {
    const store = answering([rowOf(['allowed', 5, 0, 0])])
    const warned: string[] = []
    const logger = { warn: (line: string) => warned.push(line), error: () => {} }
    const decision = await createLimiter({ store, policy: ten, logger }).check('bob', { cost: 3 })
    await decision.settle(cost as number)
    expect(store.changes).toEqual([])
    const said = `the charge stays: settle: expected a whole number of at least 0, got ${got}`
    expect(warned).toEqual([expect.stringContaining(`SLUICE_SETTLE_FAILED: ${said}`)])
    await decision.settle(1)
    expect(store.changes).toMatchObject([{ byUnits: -2 }])
  })

  it('of fractions is not given back by what is no number', async () => {
    const budget = slidingWindowLog({ limit: 10, window: '10s', unit: 0.01 })
    const logger = { warn: () => {}, error: () => {} }
    const limiter = createLimiter({ policy: budget, store: memoryStore({ clock: manualClock() }), logger })
    const decision = await limiter.check('bob', { cost: 2.5 })
    const strange: readonly unknown[] = [null, '', '0.5', false, Symbol('no cost')]
    for (const cost of strange) await decision.settle(cost as number)
    expect((await limiter.peek('bob')).remaining).toBe(7.5)
  })

  it('never rejects', async () => {
    const store = answering([rowOf(['allowed', 5, 0, 0])])
    const failing = { ...store, adjust: () => Promise.reject(new Error('the store is away')) }
    const logger = { warn: () => {}, error: () => {} }
    const limiter = createLimiter({ store: failing, policy: fixedWindow({ limit: 5, window: '1s' }), logger })
    const decision = await limiter.check('bob')
    await expect(decision.settle(3)).resolves.toBeUndefined()
    await expect(decision.release()).resolves.toBeUndefined()
    await expect((await limiter.check('bob')).refund()).resolves.toBeUndefined()
    const nothing = JSON.parse('null')
    await expect((await limiter.check('bob')).settle(nothing)).resolves.toBeUndefined()
  })
})
