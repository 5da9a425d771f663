import { describe, expect, it } from '@jest/globals'
import { manualClock } from '@sluice/testing'
import {
  concurrency,
  createLimiter,
  type Decision,
  type Duration,
  fixedWindow,
  gcra,
  type Limiter,
  memoryStore,
  notApplicable,
  type Policy,
  slidingWindowLog,
} from '../../src/index.ts'
import { MemoryStore } from '../../src/memory/store.ts'
import type { Check, StoreRows } from '../../src/store.ts'
import { hourly } from '../hourly.ts'

type AnyPolicy = Policy<'refund' | 'penalize' | 'reward'>

/** A limiter on memory of so many keys, its clock, and what it was warned of. */
function small(policy: AnyPolicy, maxKeys: number) {
  const clock = manualClock()
  const store = memoryStore({ clock, maxKeys })
  const warnings: string[] = []
  const logger = { warn: (text: string) => warnings.push(text), error: () => {} }
  return { limiter: createLimiter({ policy, store, logger }), store, clock, warnings }
}

async function exhaust(limiter: ReturnType<typeof small>['limiter'], key: string): Promise<void> {
  while ((await limiter.check(key)).allowed);
}

/** Asks so many keys once each; `mallory`, exhausted before, is refused throughout. */
async function spray(policy: AnyPolicy, keys: number, maxKeys: number): Promise<void> {
  const { limiter, store, warnings } = small(policy, maxKeys)
  await exhaust(limiter, 'mallory')
  for (let i = 0; i < keys; i++) {
    // Where one request exhausts a key a spray of them is a different matter, tested below.
    await limiter.check(`spray ${i}`, { cost: policy.limit === 1 ? 0 : 1 })
    if (i % 100 === 0) expect((await limiter.check('mallory')).reason).toBe('limited')
  }
  expect((await limiter.check('mallory')).reason).toBe('limited')
  expect(store.health?.().keys).toBeLessThanOrEqual(maxKeys)
  expect(warnings).toEqual([])
}

describe('a store with room for some keys', () => {
  it('keeps an exhausted key exhausted under a spray of twenty thousand', () =>
    spray(slidingWindowLog({ limit: 2, window: '1h' }), 20_000, 1000))

  it.each(hourly)('keeps an exhausted key exhausted under a spray: $strategy', (policy) =>
    spray(policy, 1000, 100),
  )

  it('lets go of what is idle before anything that still counts', async () => {
    const { limiter, store, clock } = small(slidingWindowLog({ limit: 2, window: '1h' }), 1000)
    const brief = slidingWindowLog({ limit: 2, window: '1m' })
    for (let i = 0; i < 1000; i++) await limiter.check(`key ${i}`, i % 16 === 0 ? { policy: brief } : {})
    await clock.advance('2m')
    // Every sixteenth is idle now.
    for (let i = 0; i < 60; i++) await limiter.check(`late ${i}`)
    for (let i = 0; i < 1000; i++) {
      if (i % 16 > 0)
        expect({ i, remaining: (await limiter.peek(`key ${i}`)).remaining }).toEqual({ i, remaining: 1 })
    }
    expect(store.health?.().keys).toBeLessThanOrEqual(1000)
  })

  it('lets no new key go again and again for another one, while there are old ones', async () => {
    const { limiter } = small(fixedWindow({ limit: 3, window: '1h' }), 100)
    for (let i = 0; i < 100; i++) await limiter.check(`key ${i}`)
    for (const remaining of [2, 1, 0])
      for (const key of ['alice', 'bob'])
        expect(await limiter.check(key)).toMatchObject({ key, allowed: true, remaining })
    for (const key of ['alice', 'bob']) expect((await limiter.check(key)).allowed).toBe(false)
  })

  it('counts on for a key that it lets go for another policy of the same request', async () => {
    const store = memoryStore({ clock: manualClock(), maxKeys: 1 })
    const policies = {
      first: fixedWindow({ limit: 5, window: '1h' }),
      second: gcra({ count: 5, period: '1h' }),
    }
    const limiter = createLimiter({ policies, store })
    await limiter.check({ first: notApplicable, second: 'alice' })
    const { verdicts } = await limiter.check('alice')
    expect(verdicts.second).toMatchObject({ allowed: true, remaining: 3 })
    expect((await limiter.peek({ first: notApplicable, second: 'alice' })).remaining).toBe(3)
  })

  it.each(hourly)(
    'counts what it takes from an idle key that it lets go for another policy of the same request: $strategy',
    async (policy) => {
      const clock = manualClock()
      const policies = { first: fixedWindow({ limit: 5, window: '1h' }), second: policy }
      const limiter = createLimiter({ policies, store: memoryStore({ clock }) })
      await limiter.check({ first: notApplicable, second: 'alice' })
      await clock.advance('3h')
      const { verdicts } = await limiter.check('alice')
      const { remaining } = await limiter.peek({ first: notApplicable, second: 'alice' })
      expect(remaining).toBe(verdicts.second?.remaining)
    },
  )

  it('frees no blocked key', async () => {
    const { limiter } = small(slidingWindowLog({ limit: 2, window: '1h' }), 10)
    await limiter.check('mallory')
    await limiter.block('mallory', '10m')
    for (let i = 0; i < 1000; i++) await limiter.check(`spray ${i}`)
    expect((await limiter.check('mallory')).reason).toBe('blocked')
    await limiter.unblock('mallory')
    expect((await limiter.peek('mallory')).remaining).toBe(1)
  })
})

type Small = ReturnType<typeof small>

/** Each gives one exhausted key of many something back, and no other. */
const recoveries: readonly (readonly [string, (about: Small & { last: Decision }) => Promise<unknown>])[] = [
  ['a refund', ({ last }) => last.refund()],
  ['a charge settled lower', ({ last }) => last.settle(0)],
  ['a reset', ({ limiter }) => limiter.reset('key 200')],
  [
    'the end of its block, where it was not exhausted',
    async ({ limiter, clock }) => {
      await limiter.reset('key 200')
      await limiter.block('key 200', '1m')
      await clock.advance('1m')
    },
  ],
  [
    'an unblock, where it was not exhausted',
    async ({ limiter }) => {
      await limiter.reset('key 200')
      await limiter.check('key 200')
      await limiter.block('key 200', '1m')
      await limiter.unblock('key 200')
    },
  ],
  [
    'an unblock, where nothing was counted',
    async ({ limiter }) => {
      await limiter.reset('key 200')
      await limiter.block('key 200', '1m')
      await limiter.unblock('key 200')
    },
  ],
]

describe('a store whose every key is exhausted but one', () => {
  const policy = slidingWindowLog({ limit: 2, window: '1h' })

  async function full(): Promise<Small & { last: Decision }> {
    const made = small(policy, 500)
    let last: Decision | undefined
    for (let i = 0; i < 500; i++) {
      await made.limiter.check(`key ${i}`)
      const decision = await made.limiter.check(`key ${i}`)
      if (i === 200) last = decision
    }
    if (last === undefined) throw new Error('There is no key 200.')
    return { ...made, last }
  }

  it.each(recoveries)('has room for one unknown key, and no other: %s', async (_title, recover) => {
    const about = await full()
    const { limiter, store, warnings } = about
    await recover(about)
    expect(await limiter.check('unknown')).toMatchObject({ allowed: true, remaining: 1 })
    expect(store.health?.().keys).toBe(500)
    expect(warnings).toEqual([])
    expect((await limiter.check('unknown')).remaining).toBe(0)
    expect((await limiter.check('another')).remaining).toBe(1)
    expect(warnings).toEqual([expect.stringContaining('SLUICE_MEMORY_FULL')])
    for (const i of [0, 199, 201, 499]) expect((await limiter.check(`key ${i}`)).allowed).toBe(false)
  })

  it('has room when one recovers behind many whose penalties are over, and whose counts are not', async () => {
    const { limiter, clock, warnings } = small(policy, 31)
    await limiter.check('first', { cost: 2 })
    await clock.advance('59m')
    for (let i = 0; i < 30; i++) {
      await limiter.check(`key ${i}`, { cost: 2 })
      await limiter.penalize(`key ${i}`, { wait: '30s' })
    }
    await clock.advance('1m')
    expect(await limiter.check('unknown')).toMatchObject({ allowed: true, remaining: 1 })
    expect(warnings).toEqual([])
  })

  it('has room when the first of them recovers by time, whichever that is', async () => {
    const { limiter, clock, warnings } = small(policy, 500)
    for (let i = 0; i < 500; i++) {
      await limiter.check(`key ${(i * 7) % 500}`, { cost: 2 })
      await clock.advance(1)
    }
    await clock.advance(3_600_000 - 500)
    expect(await limiter.check('unknown', { cost: 2 })).toMatchObject({ allowed: true })
    expect(warnings).toEqual([])
    await limiter.check('another', { cost: 2 })
    expect(warnings).toHaveLength(1)
    for (const i of [7, 14, 499]) expect((await limiter.check(`key ${i}`)).allowed).toBe(false)
  })
})

describe('a store whose every key is exhausted', () => {
  it.each(hourly)('lets unknown keys share one count, and warns of it once: $strategy', async (policy) => {
    const { limiter, warnings } = small(policy, 3)
    for (const key of ['a', 'b', 'c']) await exhaust(limiter, key)
    let allowed = 0
    for (let i = 0; i < 50; i++) if ((await limiter.check(`unknown ${i}`)).allowed) allowed++
    expect(allowed).toBe(policy.limit)
    for (const key of ['a', 'b', 'c']) expect((await limiter.check(key)).allowed).toBe(false)
    expect(warnings).toEqual([expect.stringContaining('SLUICE_MEMORY_FULL')])
    expect(limiter.health().warnings).toEqual(['SLUICE_MEMORY_FULL'])
  })

  it.each(hourly)('lets no penalty free what they share: $strategy', async (policy) => {
    const { limiter } = small(policy, 1)
    await exhaust(limiter, 'a')
    await exhaust(limiter, 'unknown')
    await limiter.penalize('another', 1)
    expect((await limiter.check('a third')).allowed).toBe(false)
    expect((await limiter.inspect('a third')).default).toMatchObject({ remaining: 0 })
  })

  it.each(hourly)(
    'lets neither reward nor set free what they share, nor room be found: $strategy',
    async (policy) => {
      const { limiter } = small(policy, 1)
      await exhaust(limiter, 'a')
      await exhaust(limiter, 'unknown')
      await limiter.reward('another', 5)
      await limiter.set('another', 0)
      await limiter.set('another', 1)
      for (const key of ['a', 'another', 'a third']) expect((await limiter.check(key)).allowed).toBe(false)
      await limiter.set('a', 1)
      expect(limiter.health().keys).toBe(1)
      await limiter.set('a', 0)
      expect(limiter.health().keys).toBe(0)
    },
  )

  it.each(hourly)('no key shares with another once there is room again: $strategy', async (policy) => {
    const { limiter, clock } = small(policy, 2)
    for (const key of ['a', 'b']) await exhaust(limiter, key)
    await exhaust(limiter, 'unknown')
    await clock.advance('4h')
    for (const key of ['a', 'b']) await limiter.reset(key)
    // Each its own count: neither what the other takes nor what was shared before is in it.
    await exhaust(limiter, 'c')
    expect((await limiter.check('d')).allowed).toBe(true)
    expect((await limiter.peek('c')).allowed).toBe(false)
  })

  it('counts what was shared against whoever comes while it lasts, and nobody’s own against another', async () => {
    const { limiter, clock } = small(slidingWindowLog({ limit: 2, window: '1h' }), 3)
    for (const key of ['a', 'b', 'c']) await exhaust(limiter, key)
    await clock.advance('30m')
    await limiter.check('unknown')
    await clock.advance('30m')
    // There is room again, but who took the one unit half an hour ago is not known.
    for (const key of ['d', 'e', 'f']) {
      expect(await limiter.check(key)).toMatchObject({ allowed: true, remaining: 0 })
      expect((await limiter.check(key)).allowed).toBe(false)
    }
    await clock.advance('30m')
    expect((await limiter.peek('d')).remaining).toBe(1)
  })
})

function checkOf(limiter: string, key: string, window: Duration): Check {
  const policy = slidingWindowLog({ limit: 2, window })
  return { id: limiter, policy, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local' }
}

function ask(store: MemoryStore, ...checks: readonly Check[]): StoreRows {
  return store.answer({ checks, charge: 'all-or-nothing', maxWaitUs: 0, take: true })
}

/** What a wait says of places in flight is advice of a second at most: what was noted by it is over before they are. */
describe('a store whose every key has its places in flight, none of them about to end', () => {
  const limit = 10
  const policies = {
    minute: concurrency({ limit, lease: '1m' }),
    second: concurrency({ limit, lease: '1s' }),
  }

  function world(maxKeys: number) {
    const clock = manualClock()
    const store = new MemoryStore(maxKeys, clock)
    const take = (key: string, cost: number, lease: keyof typeof policies = 'minute') =>
      ask(store, { ...checkOf('bob', key, '1h'), policy: policies[lease], cost })[0]
    return { clock, take }
  }

  it('lets none of them go for unknown keys', async () => {
    const { clock, take } = world(20)
    for (let i = 0; i < 20; i++) take(`key ${i}`, limit)
    await clock.advance('2s')
    for (let i = 0; i < 20; i++) take(`unknown ${i}`, 1)
    for (let i = 0; i < 20; i++)
      expect({ i, ...take(`key ${i}`, 1) }).toMatchObject({ i, allowed: false, remaining: 0 })
  })

  it('has room when one behind forty of them is free in part, after a few calls', async () => {
    const { clock, take } = world(41)
    for (let i = 0; i < 40; i++) take(`key ${i}`, limit)
    await clock.advance(1)
    take('last', limit - 1, 'second')
    take('last', 1)
    await clock.advance('2s')
    const remaining = [0, 1, 2, 3, 4, 5, 6].map((i) => take(`unknown ${i}`, 1)?.remaining)
    // Each looks at eight. Five share a count; from the sixth on, each goes on from it alone, in the room of the one before.
    expect(remaining).toEqual([9, 8, 7, 6, 5, 4, 4])
  })
})

describe('a store that has counted a key anew', () => {
  const policy = gcra({ count: 2, period: '1m' })

  function world(maxKeys = 1000) {
    const clock = manualClock()
    const store = new MemoryStore(maxKeys, clock)
    const limiter = createLimiter({ policy, store })
    const other = createLimiter({ name: 'other', policy: fixedWindow({ limit: 1, window: '1h' }), store })
    let others = 0
    /** New keys of another limiter, so that the hand that sweeps comes to every table. */
    const sweep = async () => {
      for (let i = 0; i < 20; i++) await other.check(`other ${others++}`)
    }
    return { clock, limiter, other, sweep }
  }

  it('gives nothing back of what was charged before, however often it sweeps', async () => {
    const { clock, limiter, sweep } = world()
    const before = await limiter.check('bob')
    await limiter.reset('bob')
    await limiter.check('bob')
    await clock.advance('1s')
    await sweep()
    await before.refund()
    expect((await limiter.peek('bob')).remaining).toBe(1)
  })

  it('gives back what was charged since, once it need not tell them apart any more', async () => {
    const { clock, limiter, sweep } = world()
    await limiter.check('bob')
    await limiter.reset('bob')
    await clock.advance('29s')
    const since = await limiter.check('bob')
    await clock.advance('2s')
    await sweep()
    await since.refund()
    expect((await limiter.peek('bob')).remaining).toBe(2)
  })

  it('gives nothing back to a count that was set of what all unknown keys had shared', async () => {
    const { clock, limiter, other, sweep } = world(20)
    await sweep()
    const shared = await limiter.check('bob')
    for (let i = 0; i < 20; i++) await other.reset(`other ${i}`)
    await limiter.set('bob', 2)
    await clock.advance('1s')
    await sweep()
    await shared.refund()
    expect((await limiter.peek('bob')).remaining).toBe(0)
  })
})

type TenantLimiter = Limiter<{ default: AnyPolicy }>

describe('a store whose limiters come and go', () => {
  const tenants = 200

  /** As many limiters as tenants, each with one key, and how many tables the store has for them. */
  async function come(
    store: MemoryStore,
    clock: ReturnType<typeof manualClock>,
    { from = 0, last = async (_limiter: TenantLimiter) => {} } = {},
  ): Promise<number> {
    for (let i = from; i < from + tenants; i++) {
      const limiter = createLimiter({
        name: `tenant ${i}`,
        policy: fixedWindow({ limit: 2, window: '1m' }),
        store,
      })
      await limiter.check('bob')
      await last(limiter)
      await limiter.close()
      await clock.advance('1m')
    }
    return store.keys.tables.size
  }

  it('lets go of what it had for those whose last key is gone', async () => {
    const clock = manualClock()
    const store = new MemoryStore(1000, clock)
    expect(await come(store, clock)).toBeLessThan(10)
    expect(await come(store, clock, { from: tenants })).toBeLessThan(10)
  })

  it.each([
    ['were reset', (limiter: TenantLimiter) => limiter.reset('bob')],
    ['were set', (limiter: TenantLimiter) => limiter.set('bob', 2)],
  ])('lets go of what it had for those whose keys %s', async (_how, last) => {
    const clock = manualClock()
    const store = new MemoryStore(1000, clock)
    // It looks for what may go as long as it has a key.
    await createLimiter({ name: 'stays', policy: fixedWindow({ limit: 2, window: '1d' }), store }).check(
      'bob',
    )
    expect(await come(store, clock, { last })).toBeLessThan(10)
  })

  it('counts for a limiter that stays, of which it had let go', async () => {
    const clock = manualClock()
    const store = new MemoryStore(1000, clock)
    const limiter = createLimiter({ name: 'stays', policy: fixedWindow({ limit: 2, window: '1m' }), store })
    await limiter.check('bob')
    await clock.advance('1m')
    await come(store, clock)
    expect((await limiter.check('bob')).remaining).toBe(1)
    expect((await limiter.check('bob')).remaining).toBe(0)
    await limiter.block('eve', '1m')
    expect((await limiter.check('eve')).reason).toBe('blocked')
    expect((await limiter.check('bob')).allowed).toBe(false)
  })

  // By how many keys came before, the hand that sweeps is at another place.
  it.each([0, 1, 2, 3, 4, 5])(
    'has a new key although its table is let go of meanwhile: after %i others',
    async (others) => {
      for (const act of ['check', 'block'] as const) {
        const clock = manualClock()
        const store = new MemoryStore(1000, clock)
        const other = createLimiter({ name: 'other', policy: fixedWindow({ limit: 2, window: '1h' }), store })
        const limiter = createLimiter({
          name: 'empty',
          policy: fixedWindow({ limit: 2, window: '1m' }),
          store,
        })
        await other.check('bob')
        await limiter.check('bob')
        await clock.advance('2m')
        for (let i = 0; i < others; i++) await other.check(`other ${i}`)
        if (act === 'block') await limiter.block('eve', '1m')
        else await limiter.check('eve', { cost: 2 })
        expect((await limiter.peek('eve')).reason).toBe(act === 'block' ? 'blocked' : 'limited')
      }
    },
  )

  // By how many keys came before, the hand that sweeps is at another place.
  it.each([0, 1, 2, 3, 4, 5])(
    'counts a key that one question asks for twice although its table was empty: after %i others',
    async (others) => {
      const clock = manualClock()
      const store = new MemoryStore(1000, clock)
      ask(store, checkOf('other', 'bob', '1h'))
      ask(store, checkOf('empty', 'bob', '1m'))
      await clock.advance('2m')
      for (let i = 0; i < others; i++) ask(store, checkOf('other', `${i}`, '1h'))
      const eve = checkOf('empty', 'eve', '1m')
      const rows = ask(store, checkOf('other', 'new', '1h'), eve, eve)
      expect(rows.map(({ allowed }) => allowed)).toEqual([true, true, true])
      expect(ask(store, eve)).toMatchObject([{ allowed: false }])
    },
  )
})
