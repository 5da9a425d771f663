import { describe, expect, it } from '@jest/globals'
import {
  createLimiter,
  type DecidedAbout,
  fixedWindow,
  gcra,
  type LimiterSettings,
  memoryStore,
} from '../../src/index.ts'

const policy = fixedWindow({ limit: 110, window: '1h' })
const prices = { read: 1, write: 5, export: 100, health: 0 }

describe('one budget that many kinds of request draw on', () => {
  // biome-ignore format: a table
  const rows = [
    // kind     allowed  remaining
    ['write',   true,    105],
    ['export',  true,      5],
    ['export',  false,     5],
    ['read',    true,      4],
    ['write',   false,     4],
    ['health',  true,      4],
  ] as const
  it('each takes its price', async () => {
    const limiter = createLimiter({ policy, prices })
    for (const [cost, allowed, remaining] of rows)
      expect(await limiter.check('bob', { cost })).toMatchObject({ allowed, remaining, cost: prices[cost] })
    // Units may still be said as such, and what says nothing costs one.
    expect(await limiter.check('bob', { cost: 2 })).toMatchObject({ remaining: 2 })
    expect(await limiter.check('bob')).toMatchObject({ remaining: 1 })
  })

  it('a price may differ by policy, and is 1 where a record leaves one out', async () => {
    const policies = { visitor: policy, resource: policy, day: policy }
    const limiter = createLimiter({ policies, prices: { export: { visitor: 100, resource: 20 } } })
    const { verdicts } = await limiter.check('bob', { cost: 'export' })
    expect(verdicts).toMatchObject({ visitor: { cost: 100 }, resource: { cost: 20 }, day: { cost: 1 } })
  })

  it('peek, reserve, wait and run take kinds as check does', async () => {
    const limiter = createLimiter({ policy: gcra({ count: 110, period: '1h', burst: 109 }), prices })
    expect(await limiter.peek('bob', { cost: 'export' })).toMatchObject({ cost: 100, remaining: 110 })
    expect(await limiter.reserve('bob', { cost: 'write' })).toMatchObject({ remaining: 105 })
    expect(await limiter.wait('bob', { cost: 'write' })).toMatchObject({ remaining: 100 })
    expect(await limiter.run('bob', async ({ remaining }) => remaining, { cost: 'export' })).toBe(0)
    await limiter.close()
  })

  it('observers hear of the kind, and of none where units were said', async () => {
    const heard: (string | undefined)[] = []
    const observer = { decided: (_: unknown, { kind }: DecidedAbout) => void heard.push(kind) }
    const limiter = createLimiter({ policy, prices, observers: [observer], store: memoryStore() })
    for (const cost of ['export', 'export', 3, 'read'] as const) await limiter.check('bob', { cost })
    await limiter.check('bob')
    expect(heard).toEqual(['export', 'export', undefined, 'read', undefined])
  })
})

it.each([
  [
    'wirte',
    prices,
    'cost: expected a kind of request that has a price (did you mean "write"?), got "wirte" (string)',
  ],
  [
    '__proto__',
    prices,
    'cost: expected a kind of request that has a price (one of read, write, export, health), got "__proto__" (string)',
  ],
  ['', prices, /^cost: expected a kind of request that has a price .*, got "" \(string\)$/],
  [
    'write',
    undefined,
    'cost: expected a whole number of at least 0, as there are no `prices`, got "write" (string)',
  ],
])('a cost of %j with prices %j is refused', async (cost, prices, message) => {
  const limiter = createLimiter({ policy, prices })
  await expect(limiter.check('bob', { cost })).rejects.toThrow(message)
})

it.each([
  [{}, 'prices: expected units by kind of request such as { read: 1, write: 5 }, got an object'],
  [[1], 'prices: expected units by kind of request such as { read: 1, write: 5 }, got a list of 1'],
  [{ read: -1 }, 'prices.read: expected a whole number of at least 0, got -1 (number)'],
  [{ read: '1' }, 'prices.read: expected a whole number of at least 0, got "1" (string)'],
  [{ read: 0.5 }, 'prices.read: expected a whole number of at least 0, got 0.5 (number)'],
  [
    { read: undefined },
    'prices.read: expected a whole number of at least 0, or one by policy, got undefined',
  ],
  [{ '': 1 }, 'prices.: expected a name of 1 to 100 characters, got "" (string)'],
  [{ read: { default: -1 } }, 'prices.read.default: expected a whole number of at least 0, got -1 (number)'],
  [
    { read: { visitor: 1 } },
    'prices.read.visitor: expected the name of a policy ("default"), got "visitor" (string)',
  ],
])('prices %j are refused', (prices, message) => {
  const settings = { prices } as unknown as LimiterSettings<'default'>
  expect(() => createLimiter({ policy, ...settings })).toThrow(message)
})
