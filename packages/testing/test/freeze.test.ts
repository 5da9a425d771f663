import { afterEach, describe, expect, it, jest } from '@jest/globals'
import {
  concurrency,
  createLimiter,
  type Decider,
  fixedWindow,
  gcra,
  guardedStore,
  memoryStore,
  redisStore,
  type Store,
  uniform,
} from '@sluice/core'
import { monotonicClock } from '@sluice/core/internal'
import { type FrozenTime, freeze } from '../src/index.ts'

const silent = { warn() {}, error() {} }
const minutely = fixedWindow({ limit: 1, window: '1m' })
const oneASecond = gcra({ count: 1, period: '1s', burst: 0 })

let time: FrozenTime | undefined

function frozen(options?: Parameters<typeof freeze>[0]): FrozenTime {
  time = freeze(options)
  return time
}

afterEach(() => {
  time?.restore()
  time = undefined
})

/** The real time by which all of it has come, once it has. */
function waiting(promise: Promise<unknown>): { over: boolean } {
  const seen = { over: false }
  const end = () => {
    seen.over = true
  }
  promise.then(end, end)
  return seen
}

const allows = async (limiter: Decider<string>, key = 'bob') => (await limiter.check(key)).allowed

/** A store of somebody's own, whose time is its server's. */
function elsewhere(name: string): Store {
  return { name, answer: () => Promise.reject(new Error('away')), adjust() {}, manage() {}, async close() {} }
}

describe('freeze', () => {
  it('moves limiters that were made before it and during it', async () => {
    const before = createLimiter({ policy: minutely })
    expect([await allows(before), await allows(before)]).toEqual([true, false])
    const time = frozen()
    const during = createLimiter({ policy: minutely, store: memoryStore() })
    expect([await allows(during), await allows(during), await allows(before)]).toEqual([true, false, false])
    expect((await during.check('bob')).retryAfterMs).toBe(60_000)
    await time.advance(59_999)
    expect(await allows(during)).toBe(false)
    await time.advance(1)
    expect([await allows(during), await allows(before)]).toEqual([true, true])
  })

  it('stands still: what real time passes does not count', async () => {
    frozen()
    const limiter = createLimiter({ policy: fixedWindow({ limit: 1, window: 1 }) })
    await limiter.check('bob')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await limiter.check('bob')).toMatchObject({ allowed: false, retryAfterMs: 1 })
  })

  it('wakes callers that wait, in their order, those also that waited before it', async () => {
    const limiter = createLimiter({ policy: gcra({ count: 1, period: '1h', burst: 0, maxDebt: '1d' }) })
    const woken: number[] = []
    const wait = async (nth: number) => {
      await limiter.wait('bob', { maxWait: '10h' })
      woken.push(nth)
    }
    const all = [wait(0), wait(1)]
    const time = frozen()
    all.push(wait(2), wait(3))
    await time.advance('59m')
    expect(woken).toEqual([0])
    await time.advance('2m')
    expect(woken).toEqual([0, 1])
    await time.advance('2h')
    await Promise.all(all)
    expect(woken).toEqual([0, 1, 2, 3])
  })

  it('wakes each at its own instant, and those that wait again on the way', async () => {
    const time = frozen()
    const startUs = monotonicClock.nowUs()
    const limiter = createLimiter({ policy: uniform({ interval: '10s' }) })
    const instants: number[] = []
    const worker = async () => {
      for (let i = 0; i < 4; i++)
        await limiter.run('api', () => instants.push((monotonicClock.nowUs() - startUs) / 1e6))
    }
    const done = worker()
    await time.advance('1m')
    await done
    expect(instants).toEqual([0, 10, 20, 30])
  })

  it('lets waits that are pending at its end go on in real time', async () => {
    const limiter = createLimiter({ policy: gcra({ count: 10, period: '1s', burst: 0 }) })
    await limiter.check('bob')
    const time = frozen()
    const pending = limiter.wait('bob')
    await time.advance('40ms')
    const seen = waiting(pending)
    time.restore()
    expect(seen.over).toBe(false)
    expect((await pending).allowed).toBe(true)
  })

  it('leaves waits alone that end before it moves', async () => {
    const limiter = createLimiter({ policy: oneASecond })
    await limiter.check('bob')
    const time = frozen()
    const given = new AbortController()
    const aborted = limiter.wait('bob', { signal: given.signal })
    await Promise.resolve()
    given.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    const closed = limiter.wait('bob')
    await Promise.resolve()
    await limiter.close()
    await expect(closed).rejects.toMatchObject({ code: 'SLUICE_CLOSED' })
    await time.advance('1h')
  })

  it('never lets time step back, neither at its end nor at the next one', async () => {
    const limiter = createLimiter({ policy: minutely })
    const first = frozen()
    await first.advance('1h')
    await limiter.check('bob')
    const endedUs = monotonicClock.nowUs()
    first.restore()
    first.restore()
    expect(monotonicClock.nowUs()).toBeGreaterThanOrEqual(endedUs)
    expect(monotonicClock.nowUs()).toBeLessThan(endedUs + 60e6)
    expect(await limiter.check('bob')).toMatchObject({ allowed: false })
    const second = frozen()
    expect(monotonicClock.nowUs()).toBeGreaterThanOrEqual(endedUs)
    await second.advance('1m')
    expect(await allows(limiter)).toBe(true)
  })

  it('goes to an instant, for windows by the clock', async () => {
    const time = frozen()
    const limiter = createLimiter({ policy: fixedWindow({ limit: 1, window: '1d', start: 'clock' }) })
    await time.advance(new Date('2040-02-28T23:59:50Z'))
    await limiter.check('bob')
    expect((await limiter.check('bob')).retryAfterMs).toBe(10_000)
    await time.advance(new Date('2040-02-29T00:00:00Z'))
    expect(await allows(limiter)).toBe(true)
    await expect(time.advance(new Date('2039-01-01T00:00:00Z'))).rejects.toThrow(
      'by: expected an instant that is not before the frozen time, 2040-02-29T00:00:00.000Z',
    )
    for (const by of [-1, '1x', null, {}, [new Date()]])
      await expect(time.advance(by as number)).rejects.toThrow('by: expected a positive duration')
    expect(await allows(limiter)).toBe(false)
  })

  it('moves step by step where it is advanced without being awaited', async () => {
    const time = frozen()
    const startUs = monotonicClock.nowUs()
    await Promise.all([time.advance('1s'), time.advance('2s'), time.advance(1)])
    expect(monotonicClock.nowUs() - startUs).toBe(3_001_000)
  })

  it('is one: a second one says how to end the first, which moves nothing once it has ended', async () => {
    const time = frozen()
    expect(() => freeze()).toThrow(
      expect.objectContaining({
        code: 'SLUICE_FREEZE',
        message: 'time is frozen already: restore() it first, for example in afterEach()',
      }),
    )
    time.restore()
    await expect(time.advance('1s')).rejects.toMatchObject({ code: 'SLUICE_FREEZE' })
    expect(() => freeze({ exept: [] } as object)).toThrow('did you mean "except"')
    expect(() => freeze(new Date('2030-01-01') as object)).toThrow('advance(date) comes to it')
    expect(() => freeze({ except: 'redis' as unknown as [] })).toThrow('except: expected a list of names')
  })

  it('stops where it is restored while it advances', async () => {
    const time = frozen()
    const startUs = monotonicClock.nowUs()
    const limiter = createLimiter({ policy: oneASecond })
    await limiter.check('bob')
    const waited = limiter.wait('bob').then(() => time.restore())
    await time.advance('1h')
    await waited
    expect(monotonicClock.nowUs() - startUs).toBeLessThan(60e6)
  })

  it('renews leases on the way, and lets them lapse that are no longer held', async () => {
    const limiter = createLimiter({ policy: concurrency({ limit: 1, lease: '30s' }) })
    const before = await limiter.check('bob')
    const time = frozen()
    await time.advance('5m')
    expect(await allows(limiter)).toBe(false)
    await before.release()
    const during = await limiter.check('bob')
    expect(during.allowed).toBe(true)
    await time.advance('5m')
    expect(await allows(limiter)).toBe(false)
    time.restore()
    expect(await allows(limiter)).toBe(false)
    await during.release()
    expect(await allows(limiter)).toBe(true)
    await limiter.close()
  })

  it('moves the count by which a guarded store goes on while its inner one is away', async () => {
    const store = guardedStore(elsewhere('orders'), { connectDeadline: '100ms' })
    const time = frozen({ except: ['orders'] })
    const limiter = createLimiter({ policy: minutely, store, logger: silent })
    expect(await limiter.check('bob')).toMatchObject({ allowed: true, source: 'fallback' })
    expect(await allows(limiter)).toBe(false)
    await time.advance('1m')
    expect(await allows(limiter)).toBe(true)
    await limiter.close()
    await store.close()
  })

  it('works with a store that was closed, and with a second copy of this package', async () => {
    const store = memoryStore()
    const limiter = createLimiter({ policy: minutely, store })
    await limiter.close()
    await store.close()
    let copy: typeof import('@sluice/core') | undefined
    jest.isolateModules(() => {
      copy = require('@sluice/core')
    })
    if (copy === undefined) throw new Error('not loaded')
    expect(copy.createLimiter).not.toBe(createLimiter)
    const other = copy.createLimiter({ policy: uniform({ interval: '1h', maxDebt: '1d' }) })
    await other.check('bob')
    const pending = other.wait('bob', { maxWait: '2h' })
    const time = frozen()
    expect([await allows(limiter), await allows(limiter)]).toEqual([true, false])
    await time.advance('1h')
    expect(await allows(limiter)).toBe(true)
    expect((await pending).waitMs).toBeLessThanOrEqual(3_600_000)
  })

  it('ends with its block by `using`', () => {
    const time = frozen()
    time[Symbol.dispose]()
    frozen()
  })
})

describe('a store with a time of its own', () => {
  const refusal = (store: string, limiter: string) =>
    expect.objectContaining({
      code: 'SLUICE_FREEZE',
      message: expect.stringMatching(
        new RegExp(
          `^limiter "${limiter}" counts in store "${store}", which freeze\\(\\) cannot move: .*except: \\['${store}'\\]`,
        ),
      ),
    })

  it('is named at once, whether its limiter was opened before or meanwhile', async () => {
    const redis = redisStore('redis://127.0.0.1:1', { connectDeadline: '100ms' })
    const policies = { policy: minutely, logger: silent }
    const limiter = createLimiter({ ...policies, name: 'login', store: redis })
    expect(() => freeze()).toThrow(refusal('redis', 'login'))
    await limiter.close()
    const time = frozen()
    expect(() => createLimiter({ ...policies, name: 'search', store: redis })).toThrow(
      refusal('redis', 'search'),
    )
    const other = elsewhere('orders')
    expect(() => createLimiter({ ...policies, store: other })).toThrow(refusal('orders', 'default'))
    time.restore()
    await createLimiter({ ...policies, store: other }).close()
    frozen()
    await redis.close()
  })

  it('may be left out: its callers wait in real time', async () => {
    const away = elsewhere('orders')
    const row = { allowed: true, reason: null, limit: 1, remaining: 0, retryAfterUs: 0, resetAfterUs: 0 }
    away.answer = () => [{ ...row, waitUs: 20_000, receipt: '' }]
    frozen({ except: ['orders'] })
    const limiter = createLimiter({ policy: oneASecond, store: away })
    expect((await limiter.wait('bob')).waitMs).toBe(20)
    await limiter.close()
  })
})
