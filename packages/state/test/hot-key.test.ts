import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  type Check,
  concurrency,
  createLimiter,
  defineStrategy,
  fixedWindow,
  type Limiter,
  type Policies,
  type StrategyDraft,
} from '@sluice/core'
import { type StateStoreOptions, stateStore } from '../src/state-store.ts'
import { StateStore } from '../src/store.ts'
import { heldStates } from './held-states.ts'

const logged: string[] = []
const logger = { warn: (line: string) => logged.push(line), error: (line: string) => logged.push(line) }
const opened: { close(): Promise<void> }[] = []

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] })
  logged.length = 0
})
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
  jest.useRealTimers()
})

/** A timer that is much later than it should be is a process that stood still. */
const stepMs = 5

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await jest.advanceTimersByTimeAsync(Math.min(left, stepMs))
    // What expires waits for two turns of the event loop.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

type FragileDraft = StrategyDraft & { readonly cost: number }

const five = fixedWindow({ limit: 5, window: '1h' })

async function open<P extends Policies>(policies: P, options: Partial<StateStoreOptions> = {}) {
  const under = heldStates()
  const store = stateStore({ name: 'map', transact: under.transact, ...options })
  const limiter = createLimiter({ policies, store, logger })
  opened.push(limiter, store)
  await limiter.ready()
  under.calls.length = 0
  return { ...under, store, limiter: limiter as Limiter<P> }
}

describe('checks of one key', () => {
  it('that come while one is under way go together, in their order, each as if it were alone', async () => {
    const { limiter, hold, calls } = await open({ only: five })
    const letGo = hold('bob')
    const decisions = Promise.all(Array.from({ length: 8 }, () => limiter.check('bob')))
    await pass(10)
    expect(calls).toHaveLength(1)
    letGo()
    expect((await decisions).map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 4],
      [true, 3],
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
      [false, 0],
    ])
    expect(calls).toHaveLength(2)
  })

  it('wait for no other key', async () => {
    const { limiter, hold } = await open({ client: five, resource: fixedWindow({ limit: 9, window: '1h' }) })
    const letGo = hold('bob')
    const bob = limiter.check({ client: 'bob', resource: 'tiger' })
    const alice = await limiter.check({ client: 'alice', resource: 'tiger' })
    expect(alice).toMatchObject({ allowed: true, source: 'map' })
    letGo()
    expect(await bob).toMatchObject({ allowed: true, source: 'map' })
  })

  it('that share one with many others go together too, in their order', async () => {
    const { limiter, hold, calls } = await open({
      client: five,
      resource: fixedWindow({ limit: 9, window: '1h' }),
    })
    const letGo = hold('tiger')
    const decisions = Promise.all(
      Array.from({ length: 12 }, (_, i) => limiter.check({ client: `c${i}`, resource: 'tiger' })),
    )
    await pass(10)
    expect(calls.map(({ keys }) => keys.length)).toEqual([2, 2])
    letGo()
    const left = (await decisions).map(({ allowed, verdicts }) => [allowed, verdicts.resource?.remaining])
    expect(left).toEqual(Array.from({ length: 12 }, (_, i) => [i < 9, Math.max(0, 8 - i)]))
    expect(calls.map(({ keys }) => keys.length)).toEqual([2, 2, 11])
  })

  it('of clients that somebody holds leave the resource to others', async () => {
    const { limiter, hold } = await open({ client: five, resource: fixedWindow({ limit: 99, window: '1h' }) })
    const letGo = hold('bob')
    const bob = Promise.all(
      Array.from({ length: 5 }, () => limiter.check({ client: 'bob', resource: 'tiger' })),
    )
    for (let i = 0; i < 20; i++) {
      const other = await limiter.check({ client: `c${i}`, resource: 'tiger' })
      expect(other).toMatchObject({ allowed: true, source: 'map' })
    }
    letGo()
    expect((await bob).map(({ source }) => source)).toEqual(Array.from({ length: 5 }, () => 'map'))
  })

  it('fail alone: what one has changed before it failed is not written, and the others are answered', async () => {
    const fragile = defineStrategy<{ n: number }, { n: number }, { readonly used: number }, FragileDraft>({
      name: 'fragile',
      can: [],
      parse: ({ n }) => ({ n }),
      limitOf: ({ n }) => n,
      look: ({ n }, _state, _nowUs, cost) => {
        return { allowed: true, limit: n, remaining: n - cost, retryAfterUs: 0, resetAfterUs: 0, cost }
      },
      take: (_state, { cost }) => {
        if (cost === 13) throw new Error('thirteen')
        return { used: cost }
      },
      idleUs: () => 3_600_000_000,
    })
    const { transact, hold } = heldStates()
    const store = new StateStore({ name: 'map', transact })
    const letGo = hold('bob')
    const [counted, other] = [five, fragile({ n: 100 })].map((policy) => ({
      ...{ id: `a:b:${policy.strategy}`, policy, key: 'bob', cost: 1, note: undefined, shadow: false },
      onStoreFailure: 'local' as const,
    })) as [Check, Check] // as many as policies
    // Each level charges by itself: the first has charged when the second fails.
    const ask = async (cost: number, take = true) => {
      const checks = [counted, { ...other, cost }]
      const rows = await store.answer({ checks, charge: 'every-level', maxWaitUs: 0, take })
      return rows[0]?.remaining
    }
    const answers = [1, 1, 13, 1].map((cost) => ask(cost).catch((error: Error) => error.message))
    await pass(10)
    letGo()
    expect(await Promise.all(answers)).toEqual([4, 3, 'thirteen', 2])
    expect(await ask(1, false)).toBe(2)
  })
})

describe('a check that reaches its deadline while the store is well', () => {
  it('is answered for its key alone, takes nothing, and opens no circuit, however often', async () => {
    const { limiter, hold } = await open({ only: five })
    const letGo = hold('bob')
    for (let round = 0; round < 6; round++) {
      const bob = Array.from({ length: 3 }, () => limiter.check('bob'))
      await pass(101)
      expect((await Promise.all(bob)).map(({ source }) => source)).toEqual([
        'fallback',
        'fallback',
        'fallback',
      ])
      expect(await limiter.check(`alice ${round}`)).toMatchObject({ source: 'map' })
      expect(limiter.health()).toMatchObject({ status: 'ok', breaker: 'closed' })
    }
    letGo()
    await pass(1)
    expect(limiter.health().lateReplies).toBe(0)
    expect((await limiter.inspect('bob')).only).toMatchObject({ remaining: 5 })
    expect(logged.filter((line) => line.includes('bob') || line.includes('no longer asked'))).toEqual([])
  })

  it('opens no circuit though nobody asks for another key', async () => {
    const { limiter, hold } = await open({ only: five })
    hold('bob')
    for (let round = 0; round < 6; round++) {
      const bob = limiter.check('bob')
      await pass(101)
      expect((await bob).source).toBe('fallback')
    }
    expect(limiter.health()).toMatchObject({ status: 'ok', breaker: 'closed', failures: 6 })
  })

  it('is held against its key when that is free again, and against no other', async () => {
    const { limiter, hold } = await open({ only: fixedWindow({ limit: 16, window: '1h' }) }, { processes: 8 })
    for (let i = 0; i < 9; i++) await limiter.check('alice')
    const letGo = hold('bob')
    const bob = Promise.all([1, 2, 3].map(() => limiter.check('bob')))
    await pass(101)
    expect((await bob).map(({ allowed }) => allowed)).toEqual([true, true, false])
    letGo()
    // The store has two more left than this process, which has let two pass alone.
    for (let i = 0; i < 14; i++)
      expect(await limiter.check('bob')).toMatchObject({ allowed: true, source: 'map' })
    expect(await limiter.check('bob')).toMatchObject({ allowed: false, source: 'fallback' })
    expect(await limiter.check('alice')).toMatchObject({ allowed: true, remaining: 6, source: 'map' })
  })

  it('is refused where that is asked for, and only then', async () => {
    const under = heldStates()
    const store = stateStore({ name: 'map', transact: under.transact })
    const limiter = createLimiter({ policy: five, store, logger, onStoreFailure: 'deny' })
    opened.push(limiter, store)
    await limiter.ready()
    under.hold('bob')
    const bob = limiter.check('bob')
    await pass(101)
    expect(await bob).toMatchObject({ allowed: false, reason: 'store-unavailable' })
    expect(await limiter.check('alice')).toMatchObject({ allowed: true, source: 'map' })
  })

  it('costs a release no lease, and a key that is free again counts on', async () => {
    const { limiter, hold } = await open({ only: concurrency({ limit: 2 }) })
    const first = await limiter.check('bob')
    const letGo = hold('bob')
    const released = first.release()
    await pass(101)
    letGo()
    await released.catch(() => {})
    await pass(1)
    expect(await limiter.peek('bob')).toMatchObject({ remaining: 2, source: 'map' })
  })
})

describe('a transaction', () => {
  it('is told for how long its callers wait, and that whoever corrects waits on', async () => {
    const { limiter, calls } = await open({ only: five })
    const decision = await limiter.check('bob')
    await decision.refund()
    expect(calls.map(({ leftMs }) => leftMs)).toEqual([100, undefined])
  })
})

describe('a store that says nothing at all', () => {
  it('is an outage for all keys, as before: the circuit opens in the third round', async () => {
    const { limiter, database } = await open({ only: five })
    database.away = true
    const breakers: unknown[] = []
    for (let round = 0; round < 3; round++) {
      const bob = limiter.check('bob')
      await pass(101)
      expect((await bob).source).toBe('fallback')
      breakers.push(limiter.health().breaker)
    }
    expect(breakers).toEqual(['closed', 'closed', 'open'])
    database.away = false
    await pass(700)
    expect((await limiter.check('alice')).source).toBe('map')
  })

  it('may have lost what it had: what this process has counted holds against every key afterwards', async () => {
    const { limiter, database, states } = await open({ only: five })
    for (let i = 0; i < 5; i++) await limiter.check('alice')
    database.away = true
    const bob = limiter.check('bob')
    await pass(250)
    expect((await bob).source).toBe('fallback')
    states.clear()
    database.away = false
    await pass(700)
    expect(await limiter.check('alice')).toMatchObject({ allowed: false, source: 'fallback' })
  })
})
