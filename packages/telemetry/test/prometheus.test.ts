import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import {
  createLimiter,
  fixedWindow,
  gcra,
  guardedStore,
  type Health,
  type Limiter,
  type ListsWatcher,
  memoryStore,
  type Observer,
  type Store,
  uniform,
} from '@sluice/core'
import { manualClock } from '@sluice/testing'
import { Registry } from 'prom-client'
import { prometheus } from '../src/index.ts'
import { samplesOf } from './exposition.ts'

const logger = { warn() {}, error() {} }

let register: Registry
let observers: readonly Observer[]
beforeEach(() => {
  register = new Registry()
  observers = [prometheus({ register })]
})

const open: Limiter[] = []
afterEach(async () => {
  for (const limiter of open.splice(0)) await limiter.close()
})

/** Fails whatever it is asked, at once. */
const away: Store = {
  name: 'mine',
  async answer() {
    throw new Error('away')
  },
  async adjust() {},
  manage() {},
  close: async () => {},
}

describe('decisions', () => {
  it('are counted in units by kind of request, where the limiter has prices', async () => {
    const limiter = createLimiter({
      name: 'api',
      policy: fixedWindow({ limit: 110, window: '1h' }),
      prices: { write: 5, export: 100 },
      observers,
    })
    for (const cost of ['export', 'export', 'write', 'write', 2] as const)
      await limiter.check('bob', { cost })
    await limiter.peek('bob', { cost: 'write' })
    const labels = 'limiter="api",policy="default",kind='
    expect(await samplesOf(register, 'sluice_kind_units_total')).toEqual([
      `sluice_kind_units_total{${labels}"export",outcome="allowed"} 100`,
      `sluice_kind_units_total{${labels}"export",outcome="refused"} 100`,
      `sluice_kind_units_total{${labels}"write",outcome="allowed"} 10`,
      `sluice_kind_units_total{${labels}"write",outcome="refused"} 0`,
    ])
    await limiter.close()
  })

  it('are counted by limiter, policy, outcome, reason and source', async () => {
    const limiter = createLimiter({ name: 'api', policy: fixedWindow({ limit: 3, window: '1h' }), observers })
    for (let i = 0; i < 5; i++) await limiter.check('bob')
    await limiter.check('alice', { cost: 4 })
    await limiter.block('carol', '1h')
    await limiter.check('carol')
    const labels = 'limiter="api",policy="default",source="memory",outcome='
    expect(await samplesOf(register, 'sluice_decisions_total')).toEqual([
      `sluice_decisions_total{${labels}"allowed"} 3`,
      `sluice_decisions_total{${labels}"refused",reason="limited"} 2`,
      `sluice_decisions_total{${labels}"refused",reason="blocked"} 1`,
      `sluice_decisions_total{${labels}"refused",reason="too-costly"} 1`,
    ])
    await limiter.close()
  })

  it('are counted once, by the policy that binds, also when they are reserved, and never as a look', async () => {
    const limiter = createLimiter({
      name: 'zoo',
      policies: { visitor: gcra({ count: 1, period: '1m' }), house: gcra({ count: 100, period: '1m' }) },
      observers,
    })
    await limiter.peek('bob')
    await limiter.check('bob')
    await limiter.check('bob')
    await limiter.reserve('bob', { maxWait: '1h' })
    const counted = await samplesOf(register, 'sluice_decisions_total')
    expect(counted.map((line) => line.replace(/^.*policy="(\w+)".*outcome="(\w+)".* /, '$1 $2 '))).toEqual([
      'visitor allowed 2',
      'visitor refused 1',
    ])
    await limiter.close()
  })

  it('name no key anywhere', async () => {
    const limiter = createLimiter({ policy: fixedWindow({ limit: 1, window: '1h' }), observers })
    for (let i = 0; i < 3; i++) await limiter.check(['bob@example.com', '192.0.2.1'])
    await limiter.close()
    expect(await register.metrics()).not.toMatch(/bob|192\.0\.2/)
  })

  it('of more names than there is room for are folded, and none is lost', async () => {
    const decision = await createLimiter({ policy: fixedWindow({ limit: 9, window: '1h' }) }).check('bob')
    const about = { operation: 'check', durationMs: 1 } as const
    for (let i = 0; i < 15_000; i++) {
      observers[0]?.decided?.({ ...decision, limiter: `limiter-${i}`, policy: `policy-${i}` }, about)
    }
    const counted = await samplesOf(register, 'sluice_decisions_total')
    const total = counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    expect(total).toBe(15_000)
    expect(counted.length).toBeLessThan(13_000)
    expect(counted.filter((line) => line.includes('limiter="other"')).length).toBe(1)
  })
})

describe('near the limit', () => {
  // biome-ignore format: a table
  it.each([
    // near   limit  costs of one key      times
    [undefined, 10, [7],                   0],
    [undefined, 10, [8],                   1],
    [undefined, 10, [7, 1, 1, 1, 1],       3],
    [undefined, 10, [8, 3],                1],
    [1,         10, [9, 1],                1],
    [0.07,     100, [6, 1],                1],
    [undefined,  1, [1],                   0],
  ])('%p of %i, costs %j: %i times', async (nearLimit, limit, costs, times) => {
    const own = new Registry()
    const observer = prometheus({ register: own, nearLimit })
    const limiter = createLimiter({ policy: fixedWindow({ limit, window: '1h' }), observers: [observer] })
    for (const cost of costs) await limiter.check('bob', { cost })
    expect(await samplesOf(own, 'sluice_near_limit_total')).toEqual([
      `sluice_near_limit_total{limiter="default",policy="default"} ${times}`,
    ])
    await limiter.close()
  })

  it('gets each policy, not only the one that binds', async () => {
    const limiter = createLimiter({
      policies: {
        few: fixedWindow({ limit: 3, window: '1h' }),
        many: fixedWindow({ limit: 100, window: '1h' }),
      },
      observers,
    })
    await limiter.check('bob', { cost: { few: 1, many: 90 } })
    expect(await samplesOf(register, 'sluice_near_limit_total')).toContain(
      'sluice_near_limit_total{limiter="default",policy="many"} 1',
    )
    await limiter.close()
  })
})

it('what a policy in shadow mode would have refused is counted as such, as allowed, and not as near its limit', async () => {
  const limiter = createLimiter({
    policies: { old: fixedWindow({ limit: 9, window: '1h' }), new: fixedWindow({ limit: 2, window: '1h' }) },
    shadow: { new: true },
    observers,
  })
  for (let i = 0; i < 4; i++) await limiter.check('bob')
  expect(await samplesOf(register, 'sluice_shadow_refusals_total')).toEqual([
    'sluice_shadow_refusals_total{limiter="default",policy="old"} 0',
    'sluice_shadow_refusals_total{limiter="default",policy="new"} 2',
  ])
  expect(await samplesOf(register, 'sluice_near_limit_total')).toContain(
    'sluice_near_limit_total{limiter="default",policy="new"} 1',
  )
  const refused = (await samplesOf(register, 'sluice_decisions_total')).filter((line) => /refused/.test(line))
  expect(refused).toEqual([])
  await limiter.close()
})

describe('without the store', () => {
  // biome-ignore format: a table
  it.each([
    // choice   source      outcome
    ['local', 'fallback', 'outcome="allowed"'],
    ['allow', 'none',     'outcome="allowed"'],
    ['deny',  'none',     'outcome="refused",reason="store-unavailable"'],
  ] as const)('decisions by the choice %s are counted as such', async (onStoreFailure, source, outcome) => {
    const limiter = createLimiter({
      policy: fixedWindow({ limit: 5, window: '1h' }),
      store: guardedStore(away),
      onStoreFailure,
      observers,
      logger,
    })
    expect(await samplesOf(register, 'sluice_fallback_decisions_total')).toEqual([
      'sluice_fallback_decisions_total{limiter="default"} 0',
    ])
    for (let i = 0; i < 2; i++) await limiter.check('bob', { cost: 2 })
    expect(await samplesOf(register, 'sluice_fallback_decisions_total')).toEqual([
      'sluice_fallback_decisions_total{limiter="default"} 2',
    ])
    expect(await samplesOf(register, 'sluice_decisions_total')).toEqual([
      `sluice_decisions_total{limiter="default",policy="default",source="${source}",${outcome}} 2`,
    ])
    // Numbers that the store did not count say nothing of how near it is.
    expect((await samplesOf(register, 'sluice_near_limit_total')).at(-1)).toMatch(/ 0$/)
    await limiter.close()
  })
})

describe('stores', () => {
  it('count each event once, however many limiters use them, and show a zero before the first event', async () => {
    const store = guardedStore(away)
    const policy = fixedWindow({ limit: 5, window: '1h' })
    const names = ['one', 'two', 'three']
    const limiters = names.map((name) => createLimiter({ name, policy, store, observers, logger }))
    const failures = () => samplesOf(register, 'sluice_store_failures_total')
    expect(await failures()).toEqual(['sluice_store_failures_total{store="mine"} 0'])
    await limiters[0]?.check('bob')
    await limiters[1]?.check('bob')
    expect(await failures()).toEqual(['sluice_store_failures_total{store="mine"} 2'])
    for (const limiter of limiters) await limiter.close()
    await store.close()
  })

  // biome-ignore format: a table
  it.each([
    // kind of event  what counts it
    ['failed',        'sluice_store_failures_total'],
    ['late',          'sluice_store_late_replies_total'],
    ['opened',        'sluice_store_breaker_openings_total'],
    ['half-open',     'nothing'],
  ] as const)('count the event %s in %s alone', async (kind, counter) => {
    observers[0]?.storeFailed?.({ kind, store: 'mine', sinceMs: 1 })
    const counters = ['failures', 'late_replies', 'breaker_openings'].map((name) => `sluice_store_${name}_total`)
    for (const name of counters) {
      expect(await samplesOf(register, name)).toEqual([`${name}{store="mine"} ${name === counter ? 1 : 0}`])
    }
  })

  it('show the state of their breaker: of stores of one name the worse', async () => {
    const policy = fixedWindow({ limit: 5, window: '1h' })
    const states = ['closed', 'open', 'half-open'] as const
    const limiters = states.map((breaker) => {
      const inner = memoryStore()
      const health = () => ({
        ...(inner.health?.() as Health),
        store: breaker === 'closed' ? 'well' : 'ill',
        breaker,
      })
      return createLimiter({ policy, store: { ...away, health }, observers })
    })
    expect(await samplesOf(register, 'sluice_store_breaker_state')).toEqual([
      'sluice_store_breaker_state{store="well"} 0',
      'sluice_store_breaker_state{store="ill"} 2',
    ])
    await limiters[1]?.close()
    expect(await samplesOf(register, 'sluice_store_breaker_state')).toEqual([
      'sluice_store_breaker_state{store="well"} 0',
      'sluice_store_breaker_state{store="ill"} 1',
    ])
  })
})

it('a store whose health cannot be read is left out, and the other metrics are there', async () => {
  let asked = 0
  const health = () => {
    if (asked++ === 0) return memoryStore().health?.() as Health // it has one
    throw new Error('of no use')
  }
  const limiter = createLimiter({
    policy: uniform({ interval: '1s' }),
    store: { ...away, health },
    observers,
  })
  expect(await samplesOf(register, 'sluice_sleepers')).toEqual([])
  expect(asked).toBeGreaterThan(1)
  await limiter.close()
})

it('sleepers are those who are held now, over all limiters of a name', async () => {
  const clock = manualClock()
  const store = memoryStore({ clock })
  const policy = uniform({ interval: '1s' })
  const [one, two] = [1, 2].map(() => createLimiter({ name: 'calls', policy, store, observers }))
  const waiting = [one?.wait('a'), one?.wait('a'), two?.wait('a')]
  const sleepers = () => samplesOf(register, 'sluice_sleepers')
  expect(await sleepers()).toEqual(['sluice_sleepers{limiter="calls"} 2'])
  await clock.advance('2s')
  await Promise.all(waiting)
  expect(await sleepers()).toEqual(['sluice_sleepers{limiter="calls"} 0'])
  await one?.close()
  await two?.close()
  expect(await sleepers()).toEqual([])
})

it('units taken ahead are those in hand now, decisions from them those of closed limiters too', async () => {
  const health = () => ({
    ...(memoryStore().health?.() as Health),
    ahead: { inHand: 7, decisions: 30 },
  })
  const policy = gcra({ count: 10, period: '1s' })
  const ahead = () => ({ around: { ...away, health }, policies: { default: policy } })
  const open = () =>
    createLimiter({ name: 'hot', policy, store: { ...away, ahead }, ahead: '10ms', observers })
  const [one, two] = [open(), open()]
  const plain = createLimiter({ name: 'plain', policy, observers })
  const samples = async () => [
    ...(await samplesOf(register, 'sluice_ahead_units')),
    ...(await samplesOf(register, 'sluice_ahead_decisions_total')),
  ]
  expect(await samples()).toEqual([
    'sluice_ahead_units{limiter="hot"} 14',
    'sluice_ahead_decisions_total{limiter="hot"} 60',
  ])
  await one.close()
  expect(await samples()).toEqual([
    'sluice_ahead_units{limiter="hot"} 7',
    'sluice_ahead_decisions_total{limiter="hot"} 60',
  ])
  await two.close()
  await plain.close()
  expect(await samples()).toEqual(['sluice_ahead_decisions_total{limiter="hot"} 60'])
})

it('a reload that failed is 1 until it is mended', async () => {
  const watchers: ListsWatcher[] = []
  const lists = {
    ofAddress: () => undefined,
    ofKey: () => undefined,
    watch(watcher: ListsWatcher) {
      watchers.push(watcher)
      return () => {}
    },
  }
  const limiter = createLimiter({
    name: 'calls',
    policy: uniform({ interval: '1s' }),
    lists: [lists],
    observers,
  })
  const failed = () => samplesOf(register, 'sluice_reload_failed')
  expect(await failed()).toEqual(['sluice_reload_failed{limiter="calls"} 0'])
  watchers[0]?.reloadFailed({ source: 'lists.yaml', error: 'line 1' })
  expect(await failed()).toEqual(['sluice_reload_failed{limiter="calls"} 1'])
  watchers[0]?.reloaded('lists.yaml')
  expect(await failed()).toEqual(['sluice_reload_failed{limiter="calls"} 0'])
  await limiter.close()
})

it('places in flight that were lost are counted by policy', async () => {
  observers[0]?.lost?.({ limiter: 'api', policy: 'flights', key: 'bob' })
  expect(await samplesOf(register, 'sluice_lost_leases_total')).toEqual([
    'sluice_lost_leases_total{limiter="api",policy="flights"} 1',
  ])
})
