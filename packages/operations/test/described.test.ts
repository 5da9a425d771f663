import { expect, it } from '@jest/globals'
import { createLimiter, type Decision, type Key, memoryStore, type Observed } from '@sluice/core'
import { catalogue } from '@sluice/core/internal'
import { describe as described } from '../src/described.ts'
import { rebuildLimiters } from '../src/index.ts'
import { Seen } from '../src/seen.ts'
import { TopKeys } from '../src/top-keys.ts'

it.each([...catalogue.declaredStrategies.keys()])(
  'a policy of %s is told so that it can be made anew',
  async (strategy) => {
    const declared = catalogue.declaredStrategies.get(strategy)
    if (declared === undefined) throw new Error('a declared strategy')
    const examples = Object.entries(declared.options).map(([name, { example }]) => [name, example] as const)
    const given = examples.filter(([, example]) => example !== undefined)
    const policy = catalogue.policyOfData({ strategy, ...Object.fromEntries(given) })
    const open: Observed[] = []
    const limiter = createLimiter({
      name: 'one',
      policy,
      observers: [{ limiterOpened: (each) => void open.push(each) }],
    })
    const { limiters } = JSON.parse(described(open, { service: 'shop', startedMs: 0 }))
    expect(limiters[0].policies).toHaveLength(1)
    const { strategy: told, ...options } = limiters[0].policies[0].data
    expect(catalogue.policyOfData({ strategy: told, ...options })).toEqual(policy)
    await limiter.close()
  },
)

it('what counts in memory is not made anew, and it is said', () => {
  const open: Observed[] = []
  const policy = catalogue.policyOfData({ strategy: 'gcra', count: 1, period: '1s' })
  const observers = [{ limiterOpened: (each: Observed) => void open.push(each) }]
  createLimiter({ name: 'one', policy, store: memoryStore(), observers })
  const description = JSON.parse(described(open, { service: 'shop', startedMs: 0 }))
  const { limiters, left } = rebuildLimiters([{ ...description, id: '1', seen: null }], 'redis://127.0.0.1:1')
  expect(limiters).toEqual([])
  expect(left).toEqual([{ name: 'one', why: 'it counts in "memory", which only its own process reaches' }])
})

it('what this version cannot make anew is said, and keeps nothing else from being reached', async () => {
  const policy = { name: 'p', tag: null, shadow: false, rule: '', strategy: 'fixedWindow' }
  const known = { ...policy, data: { strategy: 'fixedWindow', limit: 2, window: '1h' } }
  const later = [
    { ...known, name: 'q', data: { ...known.data, novel: true } },
    { ...known, name: 'r', strategy: 'novel', data: { strategy: 'novel' } },
  ]
  const limiter = { store: 'redis', prefix: '', networkBits: null, listed: false, ownLists: false }
  const described = [
    { ...limiter, name: 'search', policies: [known] },
    { ...limiter, name: 'login', policies: [known, ...later] },
    { ...limiter, name: 'x'.repeat(101), policies: [known] },
  ]
  const running = { service: 'shop', pid: 7, startedMs: 0, cut: 0, id: '1', seen: null, limiters: described }
  const { limiters, left, close } = rebuildLimiters([running], 'redis://127.0.0.1:1')
  expect(limiters.map(({ name, policies }) => [name, Object.keys(policies)])).toEqual([
    ['search', ['p']],
    ['login', ['p']],
  ])
  expect(left).toEqual([
    { name: 'login', why: expect.stringMatching(/later one: q \(fixedWindow\), r \(novel\)$/) },
    { name: 'x'.repeat(101), why: expect.stringContaining('later one') },
  ])
  await close()
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

const watching = (seen: Seen) => [
  { decided: (...about: Parameters<Seen['decided']>) => seen.decided(...about) },
]
const inAnHour = (limit: number) => catalogue.policyOfData({ strategy: 'fixedWindow', limit, window: '1h' })

it('each policy is counted by what it said itself, and not the one that binds alone', async () => {
  const seen = new Seen()
  const policies = { wide: inAnHour(100), narrow: inAnHour(6), tried: inAnHour(1) }
  const shadow = { tried: true }
  const limiter = createLimiter({ name: 'one', policies, shadow, observers: watching(seen) })
  for (let i = 0; i < 9; i++) await limiter.check({ wide: 'all', narrow: 'bob', tried: 'bob' })
  const counts = seen
    .turn()
    .policies.map(({ policy, admitted, refused, top }) => [
      policy,
      admitted,
      refused,
      top.map(({ key }) => key),
    ])
  expect(counts).toEqual([
    // policy, admitted, refused, whose; one in shadow mode refuses nobody
    ['narrow', 6, 3, ['bob']],
    ['wide', 6, 0, []],
    ['tried', 6, 0, []],
  ])
  await limiter.close()
})

it('what a policy takes of a refused request counts as admitted by it, as on the dashboard', async () => {
  const seen = new Seen()
  const policies = { wide: inAnHour(100), narrow: inAnHour(2) }
  const observers = watching(seen)
  const limiter = createLimiter({ name: 'one', policies, charge: 'every-level', observers })
  for (let i = 0; i < 5; i++) await limiter.check('bob')
  expect(seen.turn().policies).toMatchObject([
    { policy: 'narrow', admitted: 2, refused: 3 },
    { policy: 'wide', admitted: 5, refused: 0 },
  ])
  await limiter.close()
})

it('a key that comes nearer to its limit is shown so, however many others are near', async () => {
  const seen = new Seen()
  const limiter = createLimiter({ name: 'one', policy: inAnHour(10), observers: watching(seen) })
  await limiter.check('bob', { cost: 8 })
  for (let i = 0; i < 60; i++) await limiter.check(`other ${i}`, { cost: 8 })
  await limiter.check('bob', { cost: 2 })
  expect(seen.turn().policies[0]?.near[0]).toMatchObject({ key: 'bob', used: 10, limit: 10 })
  await limiter.close()
})

it('a limit of one is reached at once, and nobody is near it', async () => {
  const seen = new Seen()
  const policies = {
    gate: catalogue.policyOfData({ strategy: 'uniform', interval: '1h' }),
    most: inAnHour(5),
  }
  const limiter = createLimiter({ name: 'one', policies, observers: watching(seen) })
  for (let i = 0; i < 4; i++) await limiter.check({ gate: `visitor ${i}`, most: 'all' })
  const near = seen.turn().policies.map(({ policy, near }) => [policy, near])
  expect(near).toEqual([
    ['gate', []],
    ['most', [{ key: 'all', used: 4, limit: 5 }]],
  ])
  await limiter.close()
})

it('what was decided is told with the policies that refuse most first, and forgotten when nothing comes', async () => {
  const seen = new Seen()
  const policies = {
    few: catalogue.policyOfData({ strategy: 'gcra', count: 1, period: '1h' }),
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
      near: [],
    },
    {
      limiter: 'two',
      policy: 'few',
      admitted: 1,
      refused: 0,
      top: [],
      near: [],
    },
  ])
  for (let i = 0; i < 10; i++) seen.turn()
  expect(seen.turn().policies).toEqual([])
  await one.close()
  await two.close()
})

it('keys are near their limit for as long as their requests are counted, and not for ever', async () => {
  const seen = new Seen()
  const policies = { default: inAnHour(10) }
  const limiter = createLimiter({ name: 'one', policies, observers: watching(seen) })
  await limiter.check('bob', { cost: 9 })
  for (let span = 1; span <= 5; span++) {
    expect(seen.turn().policies[0]).toMatchObject({
      admitted: span,
      near: [{ key: 'bob', used: 9, limit: 10 }],
    })
    await limiter.check('alice')
  }
  expect(seen.turn().policies[0]).toMatchObject({ admitted: 5, near: [] })
  await limiter.close()
})

it('a key that has room again is no longer near its limit', async () => {
  const seen = new Seen()
  const limiter = createLimiter({ name: 'one', policy: inAnHour(10), observers: watching(seen) })
  await limiter.check('bob', { cost: 9 })
  await limiter.reset('bob')
  await limiter.check('bob')
  expect(seen.turn().policies[0]?.near).toEqual([])
  await limiter.close()
})

it('of more keys near their limit than are kept, the latest are', async () => {
  const seen = new Seen()
  const limiter = createLimiter({ name: 'one', policy: inAnHour(10), observers: watching(seen) })
  for (let i = 0; i < 50; i++) await limiter.check(`other ${i}`, { cost: 8 })
  await limiter.check('bob', { cost: 9 })
  expect(seen.turn().policies[0]?.near[0]).toMatchObject({ key: 'bob', used: 9 })
  await limiter.close()
})

it('a key that takes the place of the least in a full list has the count of its own', () => {
  const top = new TopKeys(2)
  for (const [key, count] of [
    ['a', 3],
    ['b', 2],
    ['c', 1],
  ] as const)
    top.add(key, count)
  expect(top.list(5)).toEqual([
    { shown: { key: 'a' }, count: 3 },
    { shown: { key: 'c' }, count: 1 },
  ])
})
