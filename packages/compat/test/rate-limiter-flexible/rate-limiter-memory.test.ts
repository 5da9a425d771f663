import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { memoryStore } from '@sluice/core'
import { Counts } from '../../src/rate-limiter-flexible/counts.ts'
import {
  type IRateLimiterOptions,
  RateLimiterMemory,
  RateLimiterMongo,
  RateLimiterRedis,
} from '../../src/rate-limiter-flexible/index.ts'
import { fakeDate } from '../fake-date.ts'
import { describeLimiter, describeLimiterInTime } from './limiter-cases.ts'

describeLimiter('memory', (options) => new RateLimiterMemory(options))

describe('under a clock that a test moves', () => {
  beforeAll(fakeDate)
  afterAll(() => void jest.useRealTimers())
  describeLimiterInTime(
    'memory',
    (options) => new RateLimiterMemory(options),
    async (ms) => void jest.setSystemTime(Date.now() + ms),
  )
})

describe('RateLimiterMemory', () => {
  it('shares no count with another one', async () => {
    const options = { points: 1, duration: 60 }
    await new RateLimiterMemory(options).consume('bob')
    expect((await new RateLimiterMemory(options).consume('bob')).consumedPoints).toBe(1)
  })

  it('names keys as rate-limiter-flexible does', () => {
    const limiter = new RateLimiterMemory({ points: 1, duration: 1 })
    expect(limiter.getKey('a:b')).toBe('rlflx:a:b')
    expect(limiter.getKey(7)).toBe('rlflx:7')
    expect(limiter.parseKey('rlflx:a:b')).toBe('a:b')
    limiter.keyPrefix = ''
    expect(limiter.getKey('a')).toBe('a')
    expect(limiter.parseKey('a')).toBe('a')
  })

  it('keeps a key that is used up, whatever is sprayed at it', async () => {
    const counts = new Counts(memoryStore({ maxKeys: 20 }))
    const change = { puts: false, limit: 2, windowUs: 60e6, blockUs: 0, blockAt: 0 }
    await counts.change('bob', { ...change, units: 2 })
    for (let i = 0; i < 500; i++) await counts.change(`made up ${i}`, { ...change, units: 1 })
    expect((await counts.look('bob', 2))?.count).toBe(2)
    expect(await counts.look('made up 0', 2)).toBeNull()
  })

  it.each([
    [undefined, 'options: expected an object such as { points: 5, duration: 60 }, got undefined'],
    [{ duration: 1 }, 'points: expected a number, got undefined'],
    [{ points: '5', duration: 1 }, 'points: expected a number, got "5" (string)'],
    [{ points: 5 }, 'duration: expected a number of seconds of at least 0, got undefined'],
    [{ points: 5, duration: -1 }, 'duration: expected a number of seconds of at least 0, got -1 (number)'],
    [
      { points: 5, duration: 1, blockDuration: '60' },
      'blockDuration: expected a number of seconds of at least 0, got "60" (string)',
    ],
    [{ points: 5, duration: 1, keyPrefix: 7 }, 'keyPrefix: expected a string, got 7 (number)'],
    [
      { points: 5, duration: 1, blockDuraton: 7 },
      'blockDuraton: expected a known option (did you mean "blockDuration"?)',
    ],
  ])('refuses %p', (options, message) => {
    const wrong = options as unknown as IRateLimiterOptions // what callers without types pass
    expect(() => new RateLimiterMemory(wrong)).toThrow(message)
  })

  it('spreads by the duration and the points that it has now', () => {
    const limiter = new RateLimiterMemory({ points: 4, duration: 2 })
    limiter.points = 1
    expect(limiter.execEvenlyMinDelayMs).toBe(2000)
    limiter.points = 0
    expect(limiter.execEvenlyMinDelayMs).toBe(0)
    limiter.execEvenlyMinDelayMs = 7
    expect(limiter.execEvenlyMinDelayMs).toBe(7)
  })

  it('takes options of other limiters, as shared options do', () => {
    const options = {
      points: 1,
      duration: 1,
      storeClient: {},
      inMemoryBlockOnConsumed: 1,
      blockOnConsumed: 1,
      tableName: 'limits',
    }
    expect(() => new RateLimiterMemory(options)).not.toThrow()
  })

  it('says that it has no dump', () => {
    const limiter = new RateLimiterMemory({ points: 1, duration: 1 })
    expect(() => limiter.dump()).toThrow('RateLimiterMemory.dump: counts that outlive a process')
    expect(() => limiter.restore()).toThrow('docs/moving/rate-limiter-flexible.md#what-is-not-offered')
  })
})

describe('keys of two limiters on one store', () => {
  it.each([
    ['login', 'fail:bob', 'login:fail', 'bob'],
    ['', 'login:bob', 'login', 'bob'],
    ['', 'login:fail:bob', 'login:fail', 'bob'],
    ['login:fail', 'bob', 'login:fail:bob', ''],
    ['a', ',b', 'a:', 'b'],
  ])('%p and %p never meet %p and %p', async (keyPrefix, key, otherPrefix, otherKey) => {
    const options = { storeClient: memoryStore(), points: 9, duration: 60 }
    await new RateLimiterRedis({ ...options, keyPrefix }).consume(key)
    const other = new RateLimiterRedis({ ...options, keyPrefix: otherPrefix })
    expect((await other.consume(otherKey)).consumedPoints).toBe(1)
    expect((await other.consume(otherKey)).consumedPoints).toBe(2)
  })
})

describe('a class that is not offered', () => {
  it('says what to use', () => {
    const make = RateLimiterMongo as unknown as new (options: object) => object // the compiler refuses it, too
    expect(() => new make({ storeClient: {}, points: 1, duration: 1 })).toThrow(
      'RateLimiterMongo: expected RateLimiterMemory, RateLimiterRedis',
    )
  })
})
