import { describe, expect, it } from '@jest/globals'
import { everyCount } from '@sluice/conformance/every-strategy'
import { manualClock } from '@sluice/testing'
import {
  attributedWindow,
  createLimiter,
  fixedWindow,
  gcra,
  guardedStore,
  memoryStore,
  notApplicable,
  type Store,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '../../src/index.ts'

function moving() {
  const clock = manualClock()
  return { clock, store: memoryStore({ clock }) }
}

describe('check', () => {
  it('charges each policy its own cost', async () => {
    const { store } = moving()
    const limiter = createLimiter({
      store,
      policies: {
        visitor: slidingWindowLog({ limit: 5, window: '10s' }),
        attraction: slidingWindowLog({ limit: 9, window: '10s' }),
      },
    })
    const { verdicts } = await limiter.check(
      { visitor: 'bob', attraction: 'tigers' },
      { cost: { attraction: 2 } },
    )
    expect(verdicts).toMatchObject({
      visitor: { cost: 1, remaining: 4, key: 'bob' },
      attraction: { cost: 2, remaining: 7, key: 'tigers' },
    })
  })

  it('is a free function, as its type reads', async () => {
    const { check } = createLimiter({ policy: fixedWindow({ limit: 1, window: '10s' }) })
    expect((await check('bob')).allowed).toBe(true)
    expect((await check('bob')).allowed).toBe(false)
  })

  it('takes nothing anywhere when one policy refuses', async () => {
    const { store } = moving()
    const limiter = createLimiter({
      store,
      policies: { visitor: fixedWindow({ limit: 5, window: '10s' }), gate: uniform({ interval: '10s' }) },
    })
    await limiter.check('bob')
    const { verdicts, policy } = await limiter.check('bob')
    expect(policy).toBe('gate')
    expect(verdicts.visitor).toMatchObject({ allowed: true, remaining: 4 })
  })

  it('charges every level by itself where that is asked', async () => {
    const { store } = moving()
    const limiter = createLimiter({
      store,
      charge: 'every-level',
      policies: { visitor: fixedWindow({ limit: 5, window: '10s' }), gate: uniform({ interval: '10s' }) },
    })
    await limiter.check('bob')
    const { verdicts, allowed } = await limiter.check('bob')
    expect(allowed).toBe(false)
    expect(verdicts.visitor).toMatchObject({ allowed: true, remaining: 3 })
  })

  it('counts other numbers for one call on the same key', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: slidingWindowLog({ limit: 2, window: '10s' }) })
    const premium = slidingWindowLog({ limit: 4, window: '10s' })
    for (let i = 0; i < 2; i++) await limiter.check('bob')
    expect((await limiter.check('bob')).allowed).toBe(false)
    expect(await limiter.check('bob', { policy: premium })).toMatchObject({
      allowed: true,
      limit: 4,
      remaining: 1,
    })
    expect(await limiter.check('bob', { policies: { default: premium } })).toMatchObject({ remaining: 0 })
  })

  it('counts another strategy for one call by itself', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: slidingWindowLog({ limit: 1, window: '10s' }) })
    await limiter.check('bob')
    const decision = await limiter.check('bob', { policy: fixedWindow({ limit: 1, window: '10s' }) })
    expect(decision.allowed).toBe(true)
  })
})

describe('penalize', () => {
  it('takes units whatever the limit says', async () => {
    const { store, clock } = moving()
    const limiter = createLimiter({ store, policy: slidingWindowLog({ limit: 3, window: '10s' }) })
    await limiter.penalize('bob', 5)
    expect(await limiter.check('bob')).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 10_000 })
    await clock.advance('10s')
    expect((await limiter.check('bob')).remaining).toBe(2)
  })

  it('takes them of the policies that it names', async () => {
    const { store } = moving()
    const three = fixedWindow({ limit: 3, window: '10s' })
    const limiter = createLimiter({ store, policies: { a: three, b: three } })
    await limiter.penalize('bob', { b: 2 })
    const { verdicts } = await limiter.peek('bob')
    expect([verdicts.a?.remaining, verdicts.b?.remaining]).toEqual([3, 1])
  })

  // biome-ignore format: a table
  it.each([
    // policy                                                    waits by
    [uniform({ interval: '1s' }),                                'its own means'],
    [gcra({ count: 5, period: '5s' }),                           'its own means'],
    [tokenBucket({ capacity: 5, count: 1, period: '1s' }),       'its own means'],
    [fixedWindow({ limit: 5, window: '1s' }),                    'a block'],
    [gcra({ count: 5, period: '5s', maxDebt: '1s' }),            'a block'],
  ])('lets the next request wait at least: $strategy', async (policy, by) => {
    const { store, clock } = moving()
    const limiter = createLimiter({ store, policy })
    await limiter.penalize('bob', { wait: '30s' })
    const refused = await limiter.check('bob')
    expect(refused).toMatchObject({ allowed: false, retryAfterMs: 30_000 })
    expect(refused.reason).toBe(by === 'a block' ? 'blocked' : 'limited')
    // Raised, never added; a shorter one is none.
    await limiter.penalize('bob', { wait: '10s' })
    expect((await limiter.check('bob')).retryAfterMs).toBe(30_000)
    await clock.advance(29_999)
    expect((await limiter.peek('bob')).allowed).toBe(false)
    await clock.advance(1)
    expect((await limiter.check('bob')).allowed).toBe(true)
  })
})

const counts = Object.values(everyCount(3, '12s'))

describe('reward', () => {
  it.each(counts)(
    'gives back to a key what it has used, so that it passes at once: $strategy',
    async (policy) => {
      const { store } = moving()
      const limiter = createLimiter({ store, policy })
      for (let i = 0; i < policy.limit; i++) await limiter.check('bob')
      expect((await limiter.check('bob')).allowed).toBe(false)
      await limiter.reward('bob', 1)
      expect((await limiter.check('bob')).allowed).toBe(true)
      expect((await limiter.check('bob')).allowed).toBe(false)
    },
  )

  it.each(counts)('gives back no more than was used, and nothing later: $strategy', async (policy) => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy })
    await limiter.reward('bob', 5)
    await limiter.check('bob')
    await limiter.reward('bob', Number.MAX_SAFE_INTEGER)
    let passed = 0
    while ((await limiter.check('bob')).allowed) passed++
    expect(passed).toBe(policy.limit)
  })

  it.each(counts)('leaves a block and what is behind it as they are: $strategy', async (policy) => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy })
    for (let i = 0; i < policy.limit; i++) await limiter.check('bob')
    await limiter.block('bob', '5s')
    await limiter.reward('bob', 2)
    expect(await limiter.check('bob')).toMatchObject({ reason: 'blocked', retryAfterMs: 5000 })
    await limiter.unblock('bob')
    expect(await limiter.check('bob')).toMatchObject({ reason: 'limited' })
  })

  it('gives to the policies that it names, and to all by a number', async () => {
    const { store } = moving()
    const three = fixedWindow({ limit: 3, window: '10s' })
    const limiter = createLimiter({ store, policies: { a: three, b: three } })
    await limiter.check('bob', { cost: 3 })
    await limiter.reward('bob', { b: 2 })
    const left = async () => {
      const { verdicts } = await limiter.peek('bob')
      return [verdicts.a?.remaining, verdicts.b?.remaining]
    }
    expect(await left()).toEqual([0, 2])
    await limiter.reward('bob', 1)
    expect(await left()).toEqual([1, 3])
    await limiter.reward({ a: 'bob', b: notApplicable }, 1)
    expect(await left()).toEqual([2, 3])
    await limiter.reward('bob', {})
    await limiter.reward('bob', 0)
    expect(await left()).toEqual([2, 3])
  })
})

describe('set', () => {
  it.each(counts)('makes a key count as having used so much: $strategy', async (policy) => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy })
    const left = async () => (await limiter.peek('bob')).remaining
    await limiter.set('bob', 1)
    expect(await left()).toBe(policy.limit - 1)
    await limiter.set('bob', policy.limit)
    expect((await limiter.check('bob')).allowed).toBe(false)
    await limiter.set('bob', 0)
    expect(await left()).toBe(policy.limit)
    await limiter.set('bob', policy.limit + 1)
    expect(await left()).toBe(0)
    await limiter.reward('bob', 1)
    expect(await left()).toBe(0)
  })

  it.each(counts)('keeps a block, in front of the new count: $strategy', async (policy) => {
    const { store, clock } = moving()
    const limiter = createLimiter({ store, policy })
    for (let i = 0; i < policy.limit; i++) await limiter.check('bob')
    await limiter.block('bob', '5s')
    await limiter.set('bob', 0)
    expect(await limiter.check('bob')).toMatchObject({ reason: 'blocked', retryAfterMs: 5000 })
    expect((await limiter.inspect('bob')).default).toMatchObject({ blockedMs: 5000, remaining: policy.limit })
    await limiter.block('eve', '1s')
    await limiter.set('eve', policy.limit)
    await clock.advance('1s')
    expect(await limiter.check('eve')).toMatchObject({ reason: 'limited' })
    await clock.advance('4s')
    expect((await limiter.check('bob')).allowed).toBe(true)
  })

  it('sets the policies that it names, and all by a number', async () => {
    const { store } = moving()
    const three = fixedWindow({ limit: 3, window: '10s' })
    const limiter = createLimiter({ store, policies: { a: three, b: three } })
    const left = async () => {
      const { verdicts } = await limiter.peek('bob')
      return [verdicts.a?.remaining, verdicts.b?.remaining]
    }
    await limiter.set('bob', 2)
    expect(await left()).toEqual([1, 1])
    await limiter.set('bob', { b: 0 })
    expect(await left()).toEqual([1, 3])
  })

  it('starts a bucket that starts empty with what is left', async () => {
    const { store } = moving()
    const policy = tokenBucket({ capacity: 5, count: 1, period: '1s', start: 'empty' })
    const limiter = createLimiter({ store, policy })
    await limiter.set('bob', 2)
    expect(await limiter.check('bob')).toMatchObject({ allowed: true, remaining: 2 })
  })
})

describe('block', () => {
  it('refuses for its time, looks too, and keeps the count', async () => {
    const { store, clock } = moving()
    const limiter = createLimiter({ store, policy: fixedWindow({ limit: 3, window: '1m' }) })
    await limiter.check('bob', { cost: 2 })
    await limiter.block('bob', '10s')
    const blocked = {
      allowed: false,
      reason: 'blocked',
      limit: 3,
      remaining: 0,
      retryAfterMs: 10_000,
      resetAfterMs: 10_000,
    }
    expect(await limiter.check('bob')).toMatchObject(blocked)
    expect(await limiter.peek('bob')).toMatchObject(blocked)
    expect(await limiter.check('bob', { cost: 0 })).toMatchObject(blocked)
    expect((await limiter.inspect('bob')).default).toMatchObject({
      blockedMs: 10_000,
      remaining: 1,
      allowed: false,
      reason: 'blocked',
      retryAfterMs: 10_000,
      resetAfterMs: 60_000,
    })
    await clock.advance('10s')
    expect(await limiter.check('bob')).toMatchObject({ allowed: true, remaining: 0 })
  })

  it('blocks a key in every policy that it is given for', async () => {
    const { store } = moving()
    const three = fixedWindow({ limit: 3, window: '10s' })
    const limiter = createLimiter({ store, policies: { a: three, b: three } })
    await limiter.block({ a: 'bob', b: notApplicable }, '10s')
    const { verdicts } = await limiter.check('bob')
    expect([verdicts.a?.reason, verdicts.b?.reason]).toEqual(['blocked', null])
  })

  it('is lifted by unblock, with the count as it was; reset forgets that too', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: fixedWindow({ limit: 3, window: '1m' }) })
    await limiter.check('bob', { cost: 2 })
    await limiter.block('bob', '1h')
    await limiter.unblock('bob')
    expect((await limiter.peek('bob')).remaining).toBe(1)
    await limiter.block('bob', '1h')
    await limiter.reset('bob')
    expect((await limiter.peek('bob')).remaining).toBe(3)
  })
})

describe('inspect', () => {
  it('shows who used a window up, and takes nothing', async () => {
    const { store, clock } = moving()
    const limiter = createLimiter({ store, policy: attributedWindow({ limit: 2, window: '10s' }) })
    await limiter.check('10.0.0.1', { note: 'bob' })
    await clock.advance(1500)
    await limiter.check('10.0.0.1', { note: 'ann' })
    await limiter.check('10.0.0.1', { note: 'eve' })
    expect((await limiter.inspect('10.0.0.1')).default).toMatchObject({
      allowed: false,
      reason: 'limited',
      retryAfterMs: 8500,
      key: '10.0.0.1',
      remaining: 0,
      resetAfterMs: 8500,
      blockedMs: null,
      entries: [
        { note: 'bob', agoMs: 1500 },
        { note: 'ann', agoMs: 0 },
      ],
    })
  })
})

describe('inspect of a key that was penalized', () => {
  it('says how long a check would be refused', async () => {
    const { store } = moving()
    const limiter = createLimiter({ store, policy: gcra({ count: 2, period: '2s' }) })
    await limiter.penalize('bob', { wait: '5s' })
    const facts = { allowed: false, reason: 'limited', retryAfterMs: 5000 }
    expect((await limiter.inspect('bob')).default).toMatchObject(facts)
    expect(await limiter.peek('bob')).toMatchObject(facts)
  })
})

describe('a store that fails', () => {
  const failing = {
    name: 'mine',
    answer: () => [],
    adjust: () => Promise.reject(new Error('away')),
    manage: () => Promise.reject(new Error('away')),
    ready: () => Promise.reject(new Error('away')),
    close: async () => {},
  }

  it('rejects what is done by hand, and no correction', async () => {
    const store = { ...failing, can: ['reward', 'set'] } as const
    const limiter = createLimiter({ store, policy: fixedWindow({ limit: 3, window: '1m' }) })
    await expect(limiter.penalize('bob', 2)).resolves.toBeUndefined()
    await expect(limiter.reward('bob', 2)).resolves.toBeUndefined()
    await expect(limiter.ready()).resolves.toBeUndefined()
    for (const asked of [
      limiter.block('bob', '1m'),
      limiter.unblock('bob'),
      limiter.reset('bob'),
      limiter.set('bob', 1),
      limiter.inspect('bob'),
    ]) {
      await expect(asked).rejects.toThrow('away')
    }
  })

  it('or that lacks a verb is not asked for it: an error says so', async () => {
    const asked: unknown[] = []
    const store = {
      ...failing,
      adjust: (all: unknown) => void asked.push(all),
      manage: (one: unknown) => void asked.push(one),
    }
    for (const each of [store, guardedStore(store)]) {
      const limiter = createLimiter({ store: each, policy: fixedWindow({ limit: 3, window: '1m' }) })
      await expect(limiter.reward('bob', 2)).rejects.toMatchObject({
        code: 'SLUICE_UNSUPPORTED',
        message: 'limiter.reward: the store mine cannot reward',
      })
      await expect(limiter.set('bob', 2)).rejects.toMatchObject({
        code: 'SLUICE_UNSUPPORTED',
        message: 'limiter.set: the store mine cannot set',
      })
      await limiter.close()
    }
    expect(asked).toEqual([])
  })
})

describe('observers', () => {
  it('see decisions and corrections, and cannot throw into a request', async () => {
    const { store } = moving()
    const seen: unknown[] = []
    const throwing = {
      decided: () => {
        throw new Error('mine')
      },
      adjusted: () => {
        throw new Error('mine')
      },
    }
    const limiter = createLimiter({
      name: 'seen',
      store,
      policy: fixedWindow({ limit: 3, window: '1m' }),
      observers: [
        throwing,
        {
          decided: ({ allowed }, { operation }) => seen.push([operation, allowed]),
          adjusted: ({ limiter: name, policy, units }) => seen.push([name, policy, units]),
        },
      ],
    })
    const decision = await limiter.check('bob', { cost: 3 })
    await limiter.peek('bob')
    await decision.settle(1)
    await limiter.penalize('bob', 2)
    // What was admitted was admitted.
    await limiter.reward('bob', 1)
    await limiter.set('bob', 2)
    expect(seen).toEqual([
      ['check', true],
      ['peek', false],
      ['seen', 'default', -2],
      ['seen', 'default', 2],
    ])
  })
})

describe("a store that answers by another library's promises", () => {
  /** What has a `then`, and is no Promise. */
  function laterOn<T>(value: T): Promise<T> {
    const promise = Promise.resolve(value)
    return {
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library
      then: (...told: Parameters<Promise<T>['then']>) => promise.then(...told),
    } as Promise<T>
  }

  it('is waited for, and refuses', async () => {
    const memory = memoryStore()
    const store: Store = {
      name: 'mine',
      answer: (question) => laterOn(memory.answer(question)) as ReturnType<Store['answer']>,
      adjust: (changes) => memory.adjust(changes),
      manage: (command) => memory.manage(command),
      close: () => memory.close(),
    }
    const limiter = createLimiter({ store, policy: fixedWindow({ limit: 1, window: '1m' }) })
    expect((await limiter.check('bob')).allowed).toBe(true)
    expect((await limiter.check('bob')).allowed).toBe(false)
  })
})
