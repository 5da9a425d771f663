import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  BurstyRateLimiter,
  RateLimiterCompatibleAbstract,
  RateLimiterMemory,
  RateLimiterQueue,
  RateLimiterQueueError,
  RateLimiterRes,
  RateLimiterUnion,
  RLWrapperBlackAndWhite,
  RLWrapperTimeouts,
} from '../../src/rate-limiter-flexible/index.ts'
import { fakeDate } from '../fake-date.ts'
import { refusalOf } from './limiter-cases.ts'

function limiterOf(points: number, duration = 60, keyPrefix = 'rlflx'): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration, keyPrefix })
}

/** A limiter whose store is away. */
class Away extends RateLimiterMemory {
  override async consume(): Promise<never> {
    throw new Error('away')
  }
  override async get(): Promise<never> {
    throw new Error('away')
  }
}
const away = new Away({ points: 1, duration: 60, keyPrefix: 'away' })

describe('RateLimiterRes', () => {
  it('begins with zeros', () => {
    expect(new RateLimiterRes().toJSON()).toEqual({
      remainingPoints: 0,
      msBeforeNext: 0,
      consumedPoints: 0,
      isFirstInDuration: false,
    })
  })

  it('is written as JSON', () => {
    const text = '{"remainingPoints":1,"msBeforeNext":2,"consumedPoints":3,"isFirstInDuration":true}'
    expect(String(new RateLimiterRes(1, 2, 3, true))).toBe(text)
  })
})

describe('RateLimiterUnion', () => {
  it('resolves with what each limiter says, by prefix', async () => {
    const union = new RateLimiterUnion(limiterOf(2, 60, 'minute'), limiterOf(9, 3600, 'hour'))
    const res = await union.consume('bob', 2)
    expect(Object.keys(res)).toEqual(['minute', 'hour'])
    expect(res.minute?.remainingPoints).toBe(0)
    expect(res.hour?.remainingPoints).toBe(7)
  })

  it('rejects with what those say that refuse', async () => {
    const [minute, hour] = [limiterOf(1, 60, 'minute'), limiterOf(9, 3600, 'hour')]
    const union = new RateLimiterUnion(minute, hour)
    await expect(union.consume('bob', 2)).rejects.toEqual({ minute: expect.any(RateLimiterRes) })
    expect((await hour.get('bob'))?.consumedPoints).toBe(2)
  })

  it('rejects with the error of a store that is away', async () => {
    const union = new RateLimiterUnion(limiterOf(1), away)
    await expect(union.consume('bob')).rejects.toEqual({ away: expect.any(Error) })
  })

  it('takes limiters only, and at least one', () => {
    expect(() => new RateLimiterUnion()).toThrow('limiters: expected at least one limiter')
    const none = {} as unknown as RateLimiterMemory // what callers without types pass
    expect(() => new RateLimiterUnion(limiterOf(1), none)).toThrow('limiters[1]: expected a limiter')
  })
})

describe('BurstyRateLimiter', () => {
  it('answers with the points of the first, and the shorter time', async () => {
    const bursty = new BurstyRateLimiter(limiterOf(1, 60), limiterOf(1, 10))
    expect(bursty.points).toBe(1)
    expect((await bursty.consume('bob')).msBeforeNext).toBe(60_000)
    const burst = await bursty.consume('bob')
    expect(burst).toMatchObject({ consumedPoints: 2, remainingPoints: 0, msBeforeNext: 10_000 })
    const refused = await refusalOf(bursty.consume('bob'))
    expect(refused).toMatchObject({ consumedPoints: 3 })
    expect((await bursty.get('bob'))?.msBeforeNext).toBeLessThanOrEqual(10_000)
    expect(await bursty.get('eve')).toBeNull()
  })

  it('passes on errors, and bursts for none', async () => {
    const burst = limiterOf(5)
    await expect(new BurstyRateLimiter(away, burst).consume('bob')).rejects.toThrow('away')
    expect(await burst.get('bob')).toBeNull()
    await expect(new BurstyRateLimiter(limiterOf(0), away).consume('bob')).rejects.toThrow('away')
  })

  it('waits for the one that ends, where the other never does', async () => {
    const bursty = new BurstyRateLimiter(limiterOf(0, 0), limiterOf(0, 10))
    expect((await refusalOf(bursty.consume('bob'))).msBeforeNext).toBe(10_000)
  })
})

describe('RateLimiterQueue', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }))
  afterEach(() => void jest.useRealTimers())

  it('lets callers pass in the order in which they came', async () => {
    const queue = new RateLimiterQueue(limiterOf(2, 0.1))
    const passed: number[] = []
    for (const n of [1, 2, 3, 4, 5]) void queue.removeTokens(1).then(() => passed.push(n))
    await jest.advanceTimersByTimeAsync(199)
    expect(passed).toEqual([1, 2, 3, 4])
    await jest.advanceTimersByTimeAsync(1)
    expect(passed).toEqual([1, 2, 3, 4, 5])
    await jest.advanceTimersByTimeAsync(100)
    expect(await queue.removeTokens(2)).toBe(0)
  })

  it('counts each key by itself', async () => {
    const queue = new RateLimiterQueue(limiterOf(3, 60))
    expect(await queue.removeTokens(1, 'a')).toBe(2)
    expect(await queue.getTokensRemaining('a')).toBe(2)
    expect(await queue.getTokensRemaining('__proto__')).toBe(3)
    expect(await queue.removeTokens(1, '__proto__')).toBe(2)
    expect(await queue.getTokensRemaining()).toBe(3)
  })

  it('refuses more tokens than there are ever, and more callers than may wait', async () => {
    const queue = new RateLimiterQueue(limiterOf(1, 0.2), { maxQueueSize: 1 })
    await expect(queue.removeTokens(2)).rejects.toThrow('2 tokens are more than the 1 of a duration')
    await queue.removeTokens(1)
    const waiting = queue.removeTokens(1)
    await jest.advanceTimersByTimeAsync(5)
    const tooMany = await queue.removeTokens(1).catch((error: unknown) => error)
    expect(tooMany).toBeInstanceOf(RateLimiterQueueError)
    expect(tooMany).toMatchObject({ code: 'SLUICE_QUEUE_REFUSED', name: 'RateLimiterQueueError' })
    await jest.advanceTimersByTimeAsync(195)
    expect(await waiting).toBe(0)
    expect(new RateLimiterQueueError('full', 'more').extra).toBe('more')
  })

  it('rejects with the error of a store that is away, also in the middle of a line', async () => {
    await expect(new RateLimiterQueue(away).removeTokens(1)).rejects.toThrow('away')
    const limiter = limiterOf(1, 0.1)
    const queue = new RateLimiterQueue(limiter)
    await queue.removeTokens(1)
    const waiting = queue.removeTokens(1)
    await jest.advanceTimersByTimeAsync(5)
    limiter.consume = async () => {
      throw new Error('gone')
    }
    const refused = expect(waiting).rejects.toThrow('gone')
    await jest.advanceTimersByTimeAsync(95)
    await refused
  })

  it('waits for no refusal that never ends', async () => {
    const limiter = limiterOf(1)
    await limiter.block('limiter', 0)
    await expect(new RateLimiterQueue(limiter).removeTokens(1)).rejects.toThrow('refused for ever')
  })

  describe('with expiresUnixAt', () => {
    beforeEach(fakeDate)
    afterEach(() => void jest.useRealTimers())

    /** Refuses for a millisecond at a time, until it is opened. */
    class Gate extends RateLimiterMemory {
      isOpen = false
      override async consume(): Promise<RateLimiterRes> {
        if (this.isOpen) return new RateLimiterRes(0, 60_000, 1)
        throw new RateLimiterRes(0, 1, 2)
      }
    }

    it('rejects who still waits then, wherever in the line, and nobody else', async () => {
      jest.setSystemTime(1_700_000_000_000)
      const gate = new Gate({ points: 1, duration: 60 })
      const queue = new RateLimiterQueue(gate)
      const waiting = [0, 1_700_000_060, 1_700_000_061].map((at) => queue.removeTokens(1, 'a', at))
      const settled = Promise.allSettled(waiting)
      await pause(5)
      jest.setSystemTime(1_700_000_060_000)
      await expect(waiting[1]).rejects.toBeInstanceOf(RateLimiterQueueError)
      gate.isOpen = true
      const statuses = (await settled).map(({ status }) => status)
      expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    })

    it('lets whoever need not wait pass after it', async () => {
      jest.setSystemTime(1_700_000_000_000)
      const gate = new Gate({ points: 1, duration: 60 })
      gate.isOpen = true
      expect(await new RateLimiterQueue(gate).removeTokens(1, 'a', 1)).toBe(0)
    })

    it.each([-1, Number.NaN, '60', 1_700_000_000_000, null])('is no %p', async (at) => {
      const wrong = at as number // what callers without types pass
      const asked = new RateLimiterQueue(limiterOf(1)).removeTokens(1, 'a', wrong)
      await expect(asked).rejects.toThrow('expiresUnixAt: expected a time in seconds since 1970, or 0, got')
    })
  })

  it('says that all tokens remain where the store does not answer', async () => {
    expect(await new RateLimiterQueue(away).getTokensRemaining()).toBe(1)
  })

  it.each([-1, 1.5, Number.NaN, '5', null])('is an OptionError for a maxQueueSize of %p', (maxQueueSize) => {
    const make = () => new RateLimiterQueue(away, { maxQueueSize } as object)
    expect(make).toThrow('maxQueueSize: expected a whole number of at least 0, got')
    expect(() => new RateLimiterQueue(away, { maxQueueSize: Number.POSITIVE_INFINITY })).not.toThrow()
  })

  it.each([undefined, null, 5, {}])('is an OptionError for a limiter that is none: %p', (limiter) => {
    const none = limiter as unknown as RateLimiterMemory // what callers without types pass
    expect(() => new RateLimiterQueue(none)).toThrow('limiterFlexible: expected a limiter, got')
    expect(() => new BurstyRateLimiter(none, away)).toThrow('rateLimiter: expected a limiter, got')
    expect(() => new BurstyRateLimiter(away, none)).toThrow('burstLimiter: expected a limiter, got')
  })

  it.each([
    () => new RateLimiterQueue(away, { maxSize: 5 } as object),
    () => new RLWrapperBlackAndWhite({ limiter: away, blackLists: ['bob'] } as never), // wrong on purpose
    () => new RLWrapperTimeouts({ limiter: away, timeout: 5 } as never), // wrong on purpose
  ])('an unknown option is an OptionError: %#', (make) => {
    expect(make).toThrow('expected a known option (')
  })

  it('takes a limiter of bursts', async () => {
    const queue = new RateLimiterQueue(new BurstyRateLimiter(limiterOf(1, 60), limiterOf(1, 60)))
    expect(await queue.removeTokens(1)).toBe(0)
    expect(await queue.removeTokens(1)).toBe(0)
  })
})

describe('RLWrapperBlackAndWhite', () => {
  it('refuses black keys, allows white ones, and asks for all others', async () => {
    const limiter = limiterOf(1)
    const lists = new RLWrapperBlackAndWhite({
      limiter,
      blackList: ['eve', 'both'],
      whiteList: ['alice', 'both'],
      isBlackListed: (key) => key === 'mallory',
      isWhiteListed: async (key) => key === 'carol',
    })
    const most = Number.MAX_SAFE_INTEGER
    for (const key of ['alice', 'both', 'carol'])
      expect(await lists.consume(key, 3)).toMatchObject({ remainingPoints: most, msBeforeNext: 0 })
    for (const key of ['eve', 'mallory'])
      expect(await refusalOf(lists.consume(key))).toMatchObject({ consumedPoints: 0, msBeforeNext: most })
    expect(await limiter.get('eve')).toBeNull()
    await lists.consume('bob')
    await refusalOf(lists.consume('bob'))
    expect((await lists.block('eve', 5)).msBeforeNext).toBe(most)
    expect((await lists.get('eve'))?.remainingPoints).toBe(0)
  })

  it('asks anyway where it is to, also for a black key', async () => {
    const limiter = limiterOf(5)
    const lists = new RLWrapperBlackAndWhite({ limiter, blackList: ['eve'], runActionAnyway: true })
    await refusalOf(lists.consume('eve', 2))
    await lists.penalty('eve')
    expect((await lists.get('eve'))?.consumedPoints).toBe(3)
    expect(await lists.delete('eve')).toBe(true)
  })

  it.each(['blackList', 'whiteList'])('has lists, and no text that holds a key by chance: %s', (name) => {
    for (const keys of ['carol', null, new Set(['carol'])]) {
      const options = { limiter: limiterOf(5), [name]: keys } as never // what callers without types pass
      expect(() => new RLWrapperBlackAndWhite(options)).toThrow(`${name}: expected a list of keys, got`)
    }
  })

  it('rejects where a list throws, and passes on prefix and durations', async () => {
    const limiter = limiterOf(5, 60, 'inner')
    const fails = () => {
      throw new Error('no list')
    }
    const lists = new RLWrapperBlackAndWhite({ limiter, isBlackListed: fails })
    await expect(lists.consume('bob')).rejects.toThrow('no list')
    lists.blockDuration = 7
    lists.execEvenly = true
    expect([lists.keyPrefix, limiter.blockDuration, limiter.execEvenly]).toEqual(['inner', 7, true])
  })
})

describe('RLWrapperTimeouts', () => {
  class Slow extends RateLimiterMemory {
    override async consume(): Promise<never> {
      return new Promise(() => {})
    }
  }
  const slow = new Slow({ points: 5, duration: 60 })

  it('answers as the limiter does that is in time', async () => {
    const timed = new RLWrapperTimeouts({ limiter: limiterOf(1), timeoutMs: 1000 })
    expect((await timed.consume('bob')).remainingPoints).toBe(0)
    await refusalOf(timed.consume('bob'))
    expect(await timed.delete('bob')).toBe(true)
  })

  it('rejects, or asks the insurance limiter, where it is not', async () => {
    const timed = new RLWrapperTimeouts({ limiter: slow, timeoutMs: 20 })
    await expect(timed.consume('bob')).rejects.toThrow('consume: no answer within 20 ms')
    timed.insuranceLimiter = limiterOf(3)
    expect((await timed.consume('bob')).remainingPoints).toBe(2)
  })

  it('takes limiters only, and milliseconds', () => {
    const none = {} as unknown as RateLimiterMemory // what callers without types pass
    expect(() => new RLWrapperTimeouts({ limiter: none })).toThrow('limiter: expected a limiter')
    expect(() => new RLWrapperTimeouts({ limiter: slow, timeoutMs: -1 })).toThrow('timeoutMs: expected')
  })
})

describe('RateLimiterCompatibleAbstract', () => {
  class Half extends RateLimiterCompatibleAbstract {
    override async consume(): Promise<RateLimiterRes> {
      return new RateLimiterRes(1)
    }
  }

  it('is a wrapper of your own, and says what yours leaves out', async () => {
    const half = new Half()
    expect((await half.consume()).remainingPoints).toBe(1)
    await expect(half.reward('bob')).rejects.toMatchObject({ code: 'SLUICE_UNSUPPORTED' })
    expect(() => half.keyPrefix).toThrow('your class defines no keyPrefix')
    expect(() => new RLWrapperTimeouts({ limiter: half })).not.toThrow()
  })

  it('takes what yours defines, as fields or as accessors', () => {
    class Fields extends RateLimiterCompatibleAbstract {
      override readonly keyPrefix = 'fields'
      override blockDuration = 1
    }
    class Accessors extends RateLimiterCompatibleAbstract {
      override get keyPrefix(): string {
        return 'accessors'
      }
    }
    expect([new Fields().keyPrefix, new Fields().blockDuration]).toEqual(['fields', 1])
    expect(new Accessors().keyPrefix).toBe('accessors')
    expect(() => new Fields().execEvenly).toThrow('your class defines no execEvenly')
  })
})
