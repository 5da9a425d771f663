import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  defineStrategy,
  fixedWindow,
  gcra,
  leakyBucket,
  type Policy,
  type Question,
  type Store,
  type StrategyDraft,
  slidingWindowLog,
  tokenBucket,
} from '../../src/index.ts'
import { guard } from '../../src/resilience/guard.ts'
import { readGuardOptions } from '../../src/resilience/guard-options.ts'
import { quiet, Server } from './server.ts'

let server: Server
beforeEach(() => {
  jest.useFakeTimers()
  server = new Server()
})
afterEach(() => {
  jest.clearAllTimers()
  jest.useRealTimers()
})

/** The server as one reaches it over a network: several questions are under way at once. */
function remote(): Store {
  const store = server.store()
  return { ...store, answer: async (question: Question) => store.answer(question) }
}

describe('what the store took in vain, as this process refuses by the time of the answer', () => {
  const policies = {
    log: slidingWindowLog({ limit: 5, window: '10s' }),
    hour: fixedWindow({ limit: 50, window: '1h' }),
  }

  /** A limiter that has admitted four in an outage, on a server that is back, and empty; and one that asks the server alone. */
  async function afterFour(charge: 'all-or-nothing' | 'every-level') {
    const store = guard(remote(), readGuardOptions({}), server.clock)
    const limiter = createLimiter({ policies, store, charge, logger: quiet })
    const asking = createLimiter({ policies, store: server.store(), logger: quiet })
    server.go()
    for (let i = 0; i < 4; i++) await limiter.check('k')
    server.lose()
    server.away = false
    await server.pass(1000)
    const left = async () => {
      const { log, hour } = (await asking.peek('k')).verdicts
      return { log: log?.remaining, hour: hour?.remaining }
    }
    return { limiter, left }
  }

  // biome-ignore format: a table
  it.each([
    // charge                        what is left on the server after one that passed and two that did not
    ['all-or-nothing' as const,      { log: 4, hour: 49 }],
    ['every-level' as const,         { log: 4, hour: 47 }],
  ])('is given back: %s', async (charge, rest) => {
    const { limiter, left } = await afterFour(charge)
    expect(await left()).toEqual({ log: 5, hour: 50 })
    const decisions = await Promise.all([limiter.check('k'), limiter.check('k'), limiter.check('k')])
    expect(decisions.map(({ allowed, source }) => ({ allowed, source }))).toEqual([
      { allowed: true, source: 'server' },
      { allowed: false, source: 'fallback' },
      { allowed: false, source: 'fallback' },
    ])
    expect(await left()).toEqual(rest)
  })

  it('is given back where it is a place in flight, also level by level', async () => {
    const both = { log: policies.log, slots: concurrency({ limit: 9 }) }
    const store = guard(remote(), readGuardOptions({}), server.clock)
    const limiter = createLimiter({ policies: both, store, charge: 'every-level', logger: quiet })
    const asking = createLimiter({ policies: both, store: server.store(), logger: quiet })
    server.go()
    for (let i = 0; i < 4; i++) await (await limiter.check('k')).release()
    server.lose()
    server.away = false
    await server.pass(1000)
    const decisions = await Promise.all([limiter.check('k'), limiter.check('k'), limiter.check('k')])
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, false])
    expect((await asking.peek('k')).verdicts.slots?.remaining).toBe(8)
  })
})

describe('a key that is asked all the while, before and after an outage that has lost everything', () => {
  const everyMs = 20

  /** When it let calls through, and who answered them, call by call. */
  async function flood(policy: Policy) {
    const [limiter] = server.processes(1, policy)
    const admittedMs: number[] = []
    const sources: string[] = []
    for (let ms = 0; ms < 8000; ms += everyMs) {
      if (ms === 1000) server.go()
      if (ms === 2000) {
        server.lose()
        server.away = false
      }
      const { allowed, source } = (await limiter?.check('k')) ?? {}
      if (allowed === true) admittedMs.push(ms)
      sources.push(source ?? '')
      await server.pass(everyMs)
    }
    return { admittedMs, sources }
  }

  it.each([
    gcra({ count: 5, period: '1s', burst: 5 }),
    tokenBucket({ capacity: 5, count: 5, period: '1s' }),
    leakyBucket({ capacity: 5, count: 5, period: '1s' }),
  ])('passes what $strategy lets pass, and is soon left to the server', async (policy) => {
    const { admittedMs, sources } = await flood(policy)
    for (const [first, fromMs] of admittedMs.entries()) {
      for (const [last, toMs] of admittedMs.entries()) {
        if (last > first)
          expect(last - first + 1).toBeLessThanOrEqual(policy.limit + (5 * (toMs - fromMs)) / 1000 + 1e-6)
      }
    }
    // Not less either: after the first ones one each 200 ms.
    expect(admittedMs.length).toBeGreaterThanOrEqual(5 + (8000 / 1000) * 5 - 2)
    // The last three seconds.
    expect(new Set(sources.slice(-3000 / everyMs))).toEqual(new Set(['server']))
  })
})

describe('a full key that is handed over to the store', () => {
  const policy = gcra({ count: 5, period: '1s', burst: 5 })

  /** The store makes a change when the test lets it. */
  function withSlowChanges() {
    const changes: (() => void)[] = []
    const store = remote()
    const adjust: Store['adjust'] = () => new Promise((resolve) => changes.push(resolve))
    const guarded = guard({ ...store, adjust }, readGuardOptions({}), server.clock)
    return { limiter: createLimiter({ policy, store: guarded, logger: quiet }), changes }
  }

  it('is still held where another outage begins before the store has made the change', async () => {
    const { limiter, changes } = withSlowChanges()
    server.go()
    for (let i = 0; i < 6; i++) await limiter.check('k')
    server.lose()
    server.away = false
    await server.pass(1000)
    for (let i = 0; i < 6; i++) await limiter.check('k')
    expect(changes).toHaveLength(1)
    await server.pass(1000)
    server.go()
    for (let i = 0; i < 6; i++) await limiter.check('k')
    server.lose()
    server.away = false
    for (const make of changes) make()
    await server.pass(100)
    expect(await limiter.check('k')).toMatchObject({ allowed: false, source: 'fallback' })
  })

  it('is held again where something of it is given back, which may undo the change', async () => {
    const rate = { count: 10, period: '1s' } as const
    const [own, larger] = [tokenBucket({ capacity: 1, ...rate }), tokenBucket({ capacity: 4, ...rate })]
    const guarded = guard(remote(), readGuardOptions({}), server.clock)
    const limiter = createLimiter({ policy: own, store: guarded, logger: quiet })
    server.go()
    for (let i = 0; i < 2; i++) await limiter.check('k', { policy: larger })
    server.away = false
    await server.pass(10)
    const [first, back] = await Promise.all([limiter.reserve('k'), limiter.check('k', { policy: larger })])
    expect(first.waitMs).toBe(190)
    await back.refund()
    expect((await limiter.reserve('k')).waitMs).toBe(290)
  })

  it('is held while charges at several rates count here, as the store can be told of only one', async () => {
    const own = tokenBucket({ capacity: 4, count: 4, period: '1s' })
    const faster = tokenBucket({ capacity: 3, count: 8, period: '1s' })
    const guarded = guard(remote(), readGuardOptions({}), server.clock)
    const limiter = createLimiter({ policy: own, store: guarded, logger: quiet })
    server.go()
    for (let i = 0; i < 4; i++) await limiter.check('k')
    server.away = false
    await server.pass(410)
    expect((await limiter.check('k', { policy: faster })).allowed).toBe(false)
    // Whatever the store could have been told has expired by now, and a part of one unit still counts here.
    await server.pass(400)
    expect(await limiter.check('k', { cost: 4 })).toMatchObject({ allowed: false, source: 'fallback' })
    await server.pass(190)
    expect((await limiter.check('k', { cost: 4 })).allowed).toBe(true)
  })

  it('is held where the store has just blocked it, as nothing of a blocked key changes', async () => {
    const blocking = tokenBucket({ capacity: 6, count: 4, period: '1s', blockFor: '100ms' })
    const [one, other] = Array.from({ length: 2 }, () => {
      const guarded = guard(remote(), readGuardOptions({}), server.clock)
      return createLimiter({ policy: blocking, store: guarded, logger: quiet })
    })
    server.go()
    for (let i = 0; i < 3; i++) await one?.check('k')
    server.away = false
    await server.pass(10)
    await other?.check('k', { cost: 2 })
    const both = await Promise.all([one?.check('k', { cost: 3 }), one?.check('k', { cost: 3 })])
    expect(both.map((decision) => decision?.reason)).toEqual([null, 'blocked'])
    await server.pass(101)
    expect(await one?.check('k')).toMatchObject({ allowed: false, source: 'fallback' })
  })

  it('is asked for here no more once it has rested', async () => {
    let looks = 0
    const counting = defineStrategy<object, object, { untilUs: number }, StrategyDraft>({
      name: 'counting',
      options: {},
      can: [],
      limitOf: () => 5,
      look(_numbers, state, nowUs, cost) {
        looks++
        const resetAfterUs = Math.max(0, (state?.untilUs ?? 0) - nowUs)
        return { allowed: true, limit: 5, remaining: 5 - cost, retryAfterUs: 0, resetAfterUs }
      },
      take: (_state, _draft, { nowUs }) => ({ untilUs: nowUs + 3_600_000_000 }),
      idleUs: (_numbers, { untilUs }, nowUs) => untilUs - nowUs,
    })
    const [limiter] = server.processes(1, counting({}))
    server.go()
    await limiter?.check('asked in the outage')
    server.away = false
    await server.pass(1000)
    const looksFor = async (key: string) => {
      looks = 0
      await limiter?.check(key)
      return looks
    }
    await looksFor('new')
    expect(await looksFor('new')).toBe(1)
  })
})
