import { expect, it } from '@jest/globals'
import { createLimiter, type Decision, type Key, memoryStore, type Observed } from '@sluice/core'
import { declaredStrategies, exampleOf, policyOfData } from '@sluice/core/internal'
import { describe as described } from '../src/described.ts'
import { rebuildLimiters } from '../src/index.ts'
import { Seen } from '../src/seen.ts'
import { TopKeys } from '../src/top-keys.ts'

it.each([...declaredStrategies.keys()])(
  'a policy of %s is told so that it can be made anew',
  async (strategy) => {
    const declared = declaredStrategies.get(strategy)
    if (declared === undefined) throw new Error('a declared strategy')
    const policy = policyOfData({ strategy, ...exampleOf(declared) })
    const open: Observed[] = []
    const limiter = createLimiter({
      name: 'one',
      policy,
      observers: [{ limiterOpened: (each) => void open.push(each) }],
    })
    const { limiters } = JSON.parse(described(open, { service: 'shop', startedMs: 0 }))
    expect(limiters[0].policies).toHaveLength(1)
    const { strategy: told, ...options } = limiters[0].policies[0].data
    expect(policyOfData({ strategy: told, ...options })).toEqual(policy)
    await limiter.close()
  },
)

it('what counts in memory is not made anew, and it is said', () => {
  const open: Observed[] = []
  const policy = policyOfData({ strategy: 'gcra', count: 1, period: '1s' })
  const observers = [{ limiterOpened: (each: Observed) => void open.push(each) }]
  createLimiter({ name: 'one', policy, store: memoryStore(), observers })
  const description = JSON.parse(described(open, { service: 'shop', startedMs: 0 }))
  const { limiters, left } = rebuildLimiters([{ ...description, id: '1', seen: null }], 'redis://127.0.0.1:1')
  expect(limiters).toEqual([])
  expect(left).toEqual([{ name: 'one', why: 'it counts in "memory", which only its own process reaches' }])
})

it('of many keys those that are counted most stay, in bounded room', () => {
  const top = new TopKeys(10)
  for (let i = 0; i < 5000; i++) {
    top.add(`once ${i}`, 1)
    top.add(i % 2 === 0 ? 'often' : ['org-7', 'alice'], 1)
  }
  const listed = top.list(10)
  expect(listed).toHaveLength(10)
  expect(listed.slice(0, 2).map(({ shown }) => shown.key)).toEqual(
    expect.arrayContaining(['often', ['org-7', 'alice']]),
  )
})

it('of a key that is longer than a page shows no more is kept than that, and it is told apart from others', () => {
  const seen = new Seen()
  const decision = (key: Key) =>
    ({ limiter: 'one', policy: 'few', key, allowed: false, limit: 1, remaining: 0 }) as Decision // what is read of it
  const long = 'x'.repeat(300_000)
  const keys: Key[] = [
    `${long}a`,
    `${long}b`,
    [long, 'c'],
    Array.from({ length: 100_000 }, () => 'd'),
    'short',
  ]
  for (const key of keys) seen.decided(decision(key), { operation: 'check' })
  const [policy] = seen.turn().policies
  const cut = `${'x'.repeat(200)}…`
  expect(policy?.top).toEqual([
    { key: cut, cut: true, refused: 1 },
    { key: cut, cut: true, refused: 1 },
    { key: [cut, 'c'], cut: true, refused: 1 },
    { key: Array.from({ length: 120 }, () => 'd'), cut: true, refused: 1 },
    { key: 'short', refused: 1 },
  ])
})

it('what was decided is told with the policies that refuse most first, and forgotten when nothing comes', async () => {
  const seen = new Seen()
  const policies = {
    few: policyOfData({ strategy: 'gcra', count: 1, period: '1h' }),
  }
  const observers = [{ decided: (...about: Parameters<Seen['decided']>) => seen.decided(...about) }]
  const one = createLimiter({ name: 'one', policies, observers })
  const two = createLimiter({ name: 'two', policies, observers })
  for (let i = 0; i < 3; i++) await one.check('bob')
  await two.check('bob')
  await two.peek('bob')
  expect(seen.turn().policies).toEqual([
    {
      limiter: 'one',
      policy: 'few',
      admitted: 1,
      refused: 2,
      top: [{ key: 'bob', refused: 2 }],
      near: [{ key: 'bob', used: 1, limit: 1 }],
    },
    {
      limiter: 'two',
      policy: 'few',
      admitted: 1,
      refused: 0,
      top: [],
      near: [{ key: 'bob', used: 1, limit: 1 }],
    },
  ])
  for (let i = 0; i < 10; i++) seen.turn()
  expect(seen.turn().policies).toEqual([])
  await one.close()
  await two.close()
})
