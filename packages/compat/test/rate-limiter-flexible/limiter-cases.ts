import { describe, expect, it, jest } from '@jest/globals'
import { isOptionError } from '@sluice/core'
import {
  type IRateLimiterOptions,
  type RateLimiterMemory,
  RateLimiterRes,
} from '../../src/rate-limiter-flexible/index.ts'

/** What all limiters that count have. */
type AnyLimiter = Pick<
  RateLimiterMemory,
  | 'consume'
  | 'penalty'
  | 'reward'
  | 'get'
  | 'set'
  | 'block'
  | 'delete'
  | 'points'
  | 'duration'
  | 'keyPrefix'
  | 'execEvenlyMinDelayMs'
>

type Make = (options: IRateLimiterOptions) => AnyLimiter

/** What a refused call rejects with: no Error. */
export async function refusalOf(call: Promise<unknown>): Promise<RateLimiterRes> {
  const reason = await call.then(
    () => undefined,
    (rejected: unknown) => rejected,
  )
  expect(reason).toBeInstanceOf(RateLimiterRes)
  expect(reason).not.toBeInstanceOf(Error)
  return reason as RateLimiterRes
}

let keys = 0
function freshKey(): string {
  return `key ${keys++}`
}

/** The same verbs, whatever counts. */
export function describeLimiter(name: string, make: Make): void {
  describe(`${name}: consume`, () => {
    it('resolves up to the points, and then rejects with what counts on', async () => {
      const [limiter, key] = [make({ points: 2, duration: 60 }), freshKey()]
      const first = await limiter.consume(key)
      expect(first.toJSON()).toEqual({
        remainingPoints: 1,
        msBeforeNext: 60_000,
        consumedPoints: 1,
        isFirstInDuration: true,
      })
      const second = await limiter.consume(key)
      expect(second).toMatchObject({ remainingPoints: 0, consumedPoints: 2, isFirstInDuration: false })
      const third = await refusalOf(limiter.consume(key))
      expect(third).toMatchObject({ remainingPoints: 0, consumedPoints: 3, isFirstInDuration: false })
      expect(third.msBeforeNext).toBeGreaterThan(50_000)
      expect(third.msBeforeNext).toBeLessThanOrEqual(60_000)
      expect((await refusalOf(limiter.consume(key, 5))).consumedPoints).toBe(8)
    })

    it('takes several points at once, also as a text of digits', async () => {
      const [limiter, key] = [make({ points: 5, duration: 60 }), freshKey()]
      expect((await limiter.consume(key, 3)).remainingPoints).toBe(2)
      const text = '2' as unknown as number // what callers without types pass
      expect((await limiter.consume(key, text)).remainingPoints).toBe(0)
      expect((await limiter.consume(key, 0)).consumedPoints).toBe(5)
    })

    it('admits no more than the points of many calls at once', async () => {
      const [limiter, key] = [make({ points: 7, duration: 60 }), freshKey()]
      const calls = await Promise.allSettled(Array.from({ length: 50 }, () => limiter.consume(key)))
      expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
      expect((await limiter.get(key))?.consumedPoints).toBe(50)
    })

    it('refuses everything where there are no points', async () => {
      for (const points of [0, -5]) {
        const limiter = make({ points, duration: 60, keyPrefix: `none ${points}` })
        await refusalOf(limiter.consume(freshKey()))
      }
    })

    it('begins a window of a duration of its own, and keeps one that runs', async () => {
      const [limiter, key, other] = [make({ points: 9, duration: 60 }), freshKey(), freshKey()]
      const msOf = async (call: Promise<RateLimiterRes>) => (await call).msBeforeNext
      expect(await msOf(limiter.consume(key, 1, { customDuration: 600 }))).toBe(600_000)
      expect(await msOf(limiter.consume(key, 1, { customDuration: 1 }))).toBeGreaterThan(500_000)
      expect(await msOf(limiter.consume(key))).toBeGreaterThan(500_000)
      expect(await msOf(limiter.penalty(other, 1, { customDuration: 0 }))).toBe(-1)
      expect(await msOf(limiter.reward(freshKey(), 1, { customDuration: 2 }))).toBe(2000)
    })

    it('never resets points of a duration of 0', async () => {
      const [limiter, key] = [make({ points: 2, duration: 0 }), freshKey()]
      expect((await limiter.consume(key)).msBeforeNext).toBe(-1)
      expect(await limiter.get(key)).toMatchObject({ consumedPoints: 1, msBeforeNext: -1 })
    })

    it('follows options that change', async () => {
      const [limiter, key] = [make({ points: 1, duration: 60 }), freshKey()]
      limiter.points = 3
      limiter.duration = 600
      expect(await limiter.consume(key, 3)).toMatchObject({ remainingPoints: 0, msBeforeNext: 600_000 })
    })

    it('counts keys of different prefixes apart', async () => {
      const key = freshKey()
      await make({ points: 1, duration: 60, keyPrefix: 'a' }).consume(key)
      expect((await make({ points: 1, duration: 60, keyPrefix: 'b' }).consume(key)).consumedPoints).toBe(1)
    })

    it.each([undefined, null, {}, [], Number.NaN, true])('rejects a key that is none: %p', async (key) => {
      const limiter = make({ points: 1, duration: 60 })
      const none = key as unknown as string // what callers without types pass
      const verbs = [
        limiter.consume(none),
        limiter.penalty(none),
        limiter.reward(none),
        limiter.get(none),
        limiter.set(none, 1, 1),
        limiter.block(none, 1),
        limiter.delete(none),
      ]
      for (const { reason } of (await Promise.allSettled(verbs)) as PromiseRejectedResult[])
        expect(isOptionError(reason)).toBe(true)
    })

    it('takes null for no options of a call', async () => {
      const [limiter, key] = [make({ points: 3, duration: 60 }), freshKey()]
      const none = null as never // what callers without types pass
      await limiter.consume(key, 1, none)
      await limiter.penalty(key, 1, none)
      expect((await limiter.reward(key, 1, none)).consumedPoints).toBe(1)
    })

    it.each([1.5, '1.5', 'two', Number.NaN, null, {}])('rejects points that are none: %p', async (points) => {
      const limiter = make({ points: 1, duration: 60 })
      const none = points as unknown as number // what callers without types pass
      await expect(limiter.consume(freshKey(), none)).rejects.toThrow('points: expected a whole number, got')
    })
  })

  describe(`${name}: penalty and reward`, () => {
    it('add and take points, whatever the limit says', async () => {
      const [limiter, key] = [make({ points: 2, duration: 60 }), freshKey()]
      expect(await limiter.penalty(key)).toMatchObject({ consumedPoints: 1, isFirstInDuration: true })
      expect(await limiter.penalty(key, 4)).toMatchObject({ consumedPoints: 5, remainingPoints: 0 })
      expect(await limiter.reward(key, 4)).toMatchObject({ consumedPoints: 1, remainingPoints: 1 })
      expect((await limiter.consume(key)).remainingPoints).toBe(0)
    })

    it('a reward in advance is kept', async () => {
      const [limiter, key] = [make({ points: 1, duration: 60 }), freshKey()]
      expect(await limiter.reward(key, 2)).toMatchObject({ consumedPoints: -2, remainingPoints: 3 })
      await limiter.consume(key, 3)
      await refusalOf(limiter.consume(key))
    })
  })

  describe(`${name}: get, set and delete`, () => {
    it('get takes nothing, and knows no key without a count', async () => {
      const [limiter, key] = [make({ points: 2, duration: 60 }), freshKey()]
      expect(await limiter.get(key)).toBeNull()
      await limiter.consume(key)
      const known = { consumedPoints: 1, remainingPoints: 1, isFirstInDuration: false }
      expect(await limiter.get(key)).toMatchObject(known)
      expect(await limiter.get(key)).toMatchObject(known)
      await limiter.reward(key)
      expect(await limiter.get(key)).toMatchObject({ consumedPoints: 0 })
    })

    it('set replaces the count and the time', async () => {
      const [limiter, key] = [make({ points: 5, duration: 60 }), freshKey()]
      await limiter.consume(key, 4)
      expect(await limiter.set(key, 2, 600)).toMatchObject({ consumedPoints: 2, msBeforeNext: 600_000 })
      expect(await limiter.get(key)).toMatchObject({ consumedPoints: 2, remainingPoints: 3 })
      expect((await limiter.set(key, 0)).msBeforeNext).toBe(60_000)
      expect(await limiter.get(key)).toMatchObject({ consumedPoints: 0, remainingPoints: 5 })
      expect((await limiter.set(key, 9, 0)).msBeforeNext).toBe(-1)
      expect(await refusalOf(limiter.consume(key))).toMatchObject({ consumedPoints: 10, msBeforeNext: -1 })
    })

    it('delete says whether there was anything', async () => {
      const [limiter, key] = [make({ points: 1, duration: 60 }), freshKey()]
      expect(await limiter.delete(key)).toBe(false)
      await limiter.block(key, 600)
      expect(await limiter.delete(key)).toBe(true)
      expect((await limiter.consume(key)).consumedPoints).toBe(1)
    })
  })

  describe(`${name}: block and blockDuration`, () => {
    it('block refuses for as long as it says, also for ever', async () => {
      const [limiter, key] = [make({ points: 3, duration: 60 }), freshKey()]
      expect(await limiter.block(key, 600)).toMatchObject({ consumedPoints: 4, msBeforeNext: 600_000 })
      expect((await refusalOf(limiter.consume(key))).msBeforeNext).toBeGreaterThan(590_000)
      expect((await limiter.block(key, 0)).msBeforeNext).toBe(-1)
      expect((await refusalOf(limiter.consume(key))).msBeforeNext).toBe(-1)
      expect((await limiter.block(key, 0.1)).msBeforeNext).toBe(100)
    })

    it('a penalty blocks nobody', async () => {
      const [limiter, key] = [make({ points: 1, duration: 60, blockDuration: 600 }), freshKey()]
      expect((await limiter.penalty(key, 3)).msBeforeNext).toBe(60_000)
    })
  })

  it(`${name}: execEvenly delays what is allowed after the first`, async () => {
    const options = { points: 1000, duration: 600, execEvenly: true, execEvenlyMinDelayMs: 1 }
    const [limiter, key] = [make({ ...options, keyPrefix: 'even' }), freshKey()]
    // 600 s for 998 remaining points and the two ends of the duration, less what has passed: no other timer is set for so long.
    const timers = jest.spyOn(globalThis, 'setTimeout')
    const delays = () => timers.mock.calls.filter(([, ms = 0]) => ms > 500 && ms <= 600)
    expect(await limiter.consume(key)).toMatchObject({ isFirstInDuration: true })
    expect(delays()).toHaveLength(0)
    const second = await limiter.consume(key)
    expect(delays()).toHaveLength(1)
    timers.mockRestore()
    expect(second.msBeforeNext).toBeLessThanOrEqual(599_400)
    expect(make({ points: 4, duration: 2 }).execEvenlyMinDelayMs).toBe(500)
  })
}

/** What expires. `pass` moves the clock of the limiters forward by a number of ms; nothing else moves it. */
export function describeLimiterInTime(name: string, make: Make, pass: (ms: number) => Promise<void>): void {
  describe(`${name}, as time passes`, () => {
    it('a key begins anew when its duration is over', async () => {
      const [limiter, key] = [make({ points: 1, duration: 0.15 }), freshKey()]
      await limiter.consume(key)
      await pass(149)
      expect((await refusalOf(limiter.consume(key))).msBeforeNext).toBe(1)
      await pass(1)
      expect(await limiter.consume(key)).toMatchObject({ consumedPoints: 1, isFirstInDuration: true })
    })

    it('block refuses until it ends, also after one that never does', async () => {
      const [limiter, key] = [make({ points: 3, duration: 60 }), freshKey()]
      await limiter.block(key, 0)
      await limiter.block(key, 0.1)
      await pass(99)
      expect((await refusalOf(limiter.consume(key))).msBeforeNext).toBe(1)
      await pass(1)
      expect((await limiter.consume(key)).consumedPoints).toBe(1)
    })

    it('blockDuration begins with the first call too many, and no later call makes it longer', async () => {
      const [limiter, key] = [make({ points: 2, duration: 60, blockDuration: 600 }), freshKey()]
      await limiter.consume(key, 2)
      expect((await refusalOf(limiter.consume(key))).msBeforeNext).toBe(600_000)
      await pass(20)
      expect((await refusalOf(limiter.consume(key))).msBeforeNext).toBe(599_980)
      expect(await limiter.get(key)).toMatchObject({ consumedPoints: 4 })
    })

    it('a key is free when a block ends that is shorter than its duration', async () => {
      const [limiter, key] = [make({ points: 1, duration: 60, blockDuration: 0.1 }), freshKey()]
      expect((await refusalOf(limiter.consume(key, 2))).msBeforeNext).toBe(100)
      await pass(99)
      expect((await refusalOf(limiter.consume(key))).msBeforeNext).toBe(1)
      await pass(1)
      expect((await limiter.consume(key)).consumedPoints).toBe(1)
    })
  })
}
