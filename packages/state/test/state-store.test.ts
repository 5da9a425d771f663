import { describe, expect, it } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  defineStrategy,
  gcra,
  type StrategyDraft,
  slidingWindowLog,
} from '@sluice/core'
import { stateStore } from '../src/state-store.ts'
import type { Transact } from '../src/transactions.ts'
import { mapOfStates } from './map-of-states.ts'

const never: Transact = () => new Promise(() => {})

describe('stateStore', () => {
  it('counts by what the states say, for all limiters of one name', async () => {
    const { transact, states } = mapOfStates()
    const policy = gcra({ count: 3, period: '1h' })
    const [one, other] = [0, 1].map(() =>
      createLimiter({ policy, store: stateStore({ name: 'map', transact }) }),
    )
    await one?.check('bob')
    const decision = await other?.check('bob')
    expect(decision).toMatchObject({ allowed: true, remaining: 1, source: 'map' })
    await decision?.refund()
    expect(await one?.peek('bob')).toMatchObject({ remaining: 2 })
    expect([...states.keys()]).toEqual(['sl3:{bob}:gc'])
    expect(JSON.parse([...states.values()][0] ?? '')).toEqual([expect.any(Number), expect.any(Array)])
  })

  it('writes once for several policies, and not at all for a refusal', async () => {
    const { transact } = mapOfStates()
    const written: number[] = []
    const counted: Transact = (keys, change) =>
      transact(keys, (states, nowUs) => {
        const changed = change(states, nowUs)
        written.push(changed.writes.length)
        return changed
      })
    const policies = { log: slidingWindowLog({ limit: 1, window: '1h' }), slots: concurrency({ limit: 5 }) }
    const limiter = createLimiter({ policies, store: stateStore({ name: 'map', transact: counted }) })
    await limiter.ready()
    written.length = 0
    const decision = await limiter.check('bob')
    expect((await limiter.check('bob')).allowed).toBe(false)
    await decision.release()
    // The map tries each twice; what is released is one state.
    expect(written).toEqual([2, 2, 0, 0, 1, 1])
    await limiter.close()
  })

  it('writes nothing where a correction has nothing to give back', async () => {
    const { transact } = mapOfStates()
    const written: number[] = []
    const counted: Transact = (keys, change) =>
      transact(keys, (states, nowUs) => {
        const changed = change(states, nowUs)
        written.push(changed.writes.length)
        return changed
      })
    const limiter = createLimiter({
      policy: slidingWindowLog({ limit: 5, window: '1h' }),
      store: stateStore({ name: 'map', transact: counted }),
    })
    const decision = await limiter.check('bob')
    await limiter.reward('bob', 5)
    written.length = 0
    await decision.refund()
    expect(written).toEqual([0, 0])
    await limiter.close()
  })

  it('asks for its keys in one order, whatever the order of the policies: others may lock them one by one', async () => {
    const { transact } = mapOfStates()
    const asked: (readonly string[])[] = []
    const noted: Transact = (keys, change, leftMs) => {
      asked.push(keys)
      return transact(keys, change, leftMs)
    }
    const policies = { a: gcra({ count: 5, period: '1h' }), b: gcra({ count: 5, period: '1h' }) }
    const limiter = createLimiter({ policies, store: stateStore({ name: 'map', transact: noted }) })
    await limiter.ready()
    asked.length = 0
    await limiter.check({ a: 'zoe', b: 'adam' })
    expect(asked).toEqual([['sl3:{adam}:default:b:gc', 'sl3:{zoe}:default:a:gc']])
    await limiter.close()
  })

  it('is guarded: who waits in vain is answered from memory', async () => {
    const store = stateStore({ name: 'away', transact: never, deadline: 20, connectDeadline: '20ms' })
    const limiter = createLimiter({
      policy: gcra({ count: 1, period: '1m' }),
      store,
      logger: { warn() {}, error() {} },
    })
    expect(await limiter.check('bob')).toMatchObject({ allowed: true, source: 'fallback' })
    expect(await limiter.check('bob')).toMatchObject({ allowed: false, source: 'fallback' })
    await store.close()
  })

  it.each([
    ['no options', undefined, 'options: expected an object of options such as { name: … }, got undefined'],
    ['no name', { transact: never }, 'name: expected a string'],
    [
      'a name of ours',
      { name: 'redis', transact: never },
      'none of memory, redis, fallback, none, got "redis" (string)',
    ],
    ['no transact', { name: 'a' }, 'transact: expected a function, got undefined'],
    ['no such option', { name: 'a', transact: never, deadlin: 1 }, 'did you mean "deadline"?'],
    [
      'a close that is none',
      { name: 'a', transact: never, close: true },
      'close: expected a function, got true (boolean)',
    ],
    ['no time', { name: 'a', transact: never, deadline: 'soon' }, 'deadline: expected'],
  ])('refuses %s', (_title, options, message) => {
    expect(() => stateStore(options as never)).toThrow(message)
  })

  it('closes by what it was given', async () => {
    let closed = 0
    const close = async () => {
      closed++
    }
    await stateStore({ name: 'a', transact: mapOfStates().transact, close }).close()
    expect(closed).toBe(1)
  })

  it.each([
    ['milliseconds with fractions', 1_700_000_000_000.5, [null], 'whole microseconds since 1970'],
    ['a bigint', 1n, [null], 'whole microseconds since 1970'],
    ['no states', 1_700_000_000_000_000, [], '1 keys want as many states'],
    [
      'what no strategy wrote',
      1_700_000_000_000_000,
      ['nonsense'],
      'SLUICE a key holds what no strategy wrote',
    ],
    ['another value', 1_700_000_000_000_000, ['{"a":1}'], 'SLUICE a key holds what no strategy wrote'],
    [
      'other numbers',
      1_700_000_000_000_000,
      ['[1800000000000000,[1]]'],
      'SLUICE a key holds what no strategy wrote',
    ],
  ])('refuses %s from a database', async (_title, nowUs, states, message) => {
    const transact: Transact = async (keys, change) =>
      change(keys.length === 0 ? [] : (states as string[]), nowUs as number).result
    const store = stateStore({ name: 'a', transact })
    const limiter = createLimiter({
      policy: gcra({ count: 1, period: '1m' }),
      store,
      logger: { warn() {}, error() {} },
    })
    const error = await limiter.inspect('bob').catch((reason: Error) => reason)
    expect(String(Reflect.get(error, 'cause'))).toContain(message)
    await limiter.close()
    await store.close()
  })

  it('refuses a strategy whose states are no plain data at construction', () => {
    const dated = defineStrategy<{ n: number }, { n: number }, { readonly at: Date }, StrategyDraft>({
      name: 'dated',
      can: [],
      parse: ({ n }) => ({ n }),
      limitOf: ({ n }) => n,
      look: ({ n }) => ({ allowed: true, limit: n, remaining: n, retryAfterUs: 0, resetAfterUs: 0 }),
      take: (_state, _draft, { nowUs }) => ({ at: new Date(nowUs / 1000) }),
      idleUs: () => 1000,
    })
    const store = stateStore({ name: 'a', transact: mapOfStates().transact })
    expect(() => createLimiter({ store, policy: dated({ n: 1 }) })).toThrow(
      'policies.default: expected a strategy whose states are plain data, as this store needs (a state holds an object (Date) at "at"), got "dated" (string)',
    )
  })
})
