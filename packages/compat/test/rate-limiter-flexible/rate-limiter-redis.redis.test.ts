import '../patient-core.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import type { StoreUnderTest } from '@sluice/conformance'
import { baseUs } from '@sluice/conformance/internal'
import { createLimiter, isStoreError, redisStore } from '@sluice/core'
import { type Connected, connectTo, redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { flexibleWindow } from '../../src/rate-limiter-flexible/flexible-window.ts'
import {
  type IRateLimiterRedisOptions,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRedisNonAtomic,
  RateLimiterRes,
} from '../../src/rate-limiter-flexible/index.ts'
import { end } from '../end.ts'
import { describeLimiter, describeLimiterInTime, refusalOf } from './limiter-cases.ts'

const client = new Redis({ path: socket })
let node: Connected
let moved: StoreUnderTest
let nowUs = baseUs

beforeAll(async () => {
  for (const method of ['warn', 'error'] as const) jest.spyOn(console, method).mockImplementation(() => {})
  await client.flushdb()
  node = await connectTo('node-redis 6', socket)
  moved = await redisUnderTest(socket)
})
afterAll(async () => {
  await end(client)
  node.end()
  await moved.close()
})

describeLimiter('ioredis', (options) => new RateLimiterRedis({ ...options, storeClient: client }))
describeLimiter('node-redis', ({ keyPrefix = '', ...options }) => {
  const own = { keyPrefix: `node ${keyPrefix}`, storeClient: node.client, useRedisPackage: true }
  return new RateLimiterRedis({ ...options, ...own })
})
describeLimiterInTime(
  'Redis',
  (options) => new RateLimiterRedis({ ...options, storeClient: moved.store }),
  async (ms) => {
    nowUs += ms * 1000
    await moved.setClock(nowUs)
  },
)

let keys = 0
function limiterOf(options: Partial<IRateLimiterRedisOptions> = {}): RateLimiterRedis {
  return new RateLimiterRedis({
    storeClient: client,
    points: 2,
    duration: 60,
    keyPrefix: `own ${keys++}`,
    ...options,
  })
}

/** A client of a server that is not there. */
function lost(): Redis {
  const gone = new Redis({ path: `${socket}.gone`, retryStrategy: () => 60_000, disconnectTimeout: 1 })
  gone.on('error', () => {})
  return gone
}

describe('RateLimiterRedis', () => {
  it('shares counts with limiters of its prefix, over any client', async () => {
    const keyPrefix = 'shared'
    await limiterOf({ keyPrefix }).consume('bob')
    const other = limiterOf({ keyPrefix, points: 9, storeClient: node.client })
    expect((await other.consume('bob')).consumedPoints).toBe(2)
  })

  it('stores one string for a key, which ends with its window', async () => {
    await limiterOf({ keyPrefix: 'shown' }).consume('bob')
    const [name = '', ...others] = await client.keys('*shown:bob*')
    expect([name, others]).toEqual(['sl3:{shown:bob}:rate-limiter-flexible:flex', []])
    expect(await client.pttl(name)).toBeGreaterThan(59_000)
    await limiterOf({ keyPrefix: 'shown', duration: 0 }).set('bob', 1, 0)
    expect(await client.pttl(name)).toBeGreaterThan(100 * 365 * 86_400_000)
  })

  it('refuses a key that is blocked by hand', async () => {
    const policy = flexibleWindow({ units: 0, puts: false, limit: 0, windowUs: 0, blockUs: 0, blockAt: 0 })
    const byHand = createLimiter({ name: 'rate-limiter-flexible', policy, store: redisStore(client) })
    const limiter = limiterOf({ keyPrefix: 'hand' })
    await limiter.consume('bob')
    await byHand.block('hand:bob', '10m')
    const { consumedPoints, msBeforeNext } = await refusalOf(limiter.consume('bob'))
    expect(consumedPoints).toBe(3)
    expect(msBeforeNext).toBeGreaterThan(590_000)
    await byHand.unblock('hand:bob')
    expect((await limiter.consume('bob')).consumedPoints).toBe(2)
    await byHand.close()
  })

  it('goes on with counts of rate-limiter-flexible that were copied', async () => {
    await client.set('moved:bob', 4, 'EX', 600)
    await client.set('moved:eve', 9)
    const limiter = limiterOf({ keyPrefix: 'moved', points: 5 })
    // As docs/moving/rate-limiter-flexible.md has it.
    for await (const names of client.scanStream({ match: 'moved:*' })) {
      for (const name of names as string[]) {
        const [points, msLeft] = await Promise.all([client.get(name), client.pttl(name)])
        if (points !== null)
          await limiter.set(limiter.parseKey(name), Number(points), Math.max(msLeft, 0) / 1000)
      }
    }
    const bob = await limiter.consume('bob')
    expect(bob.consumedPoints).toBe(5)
    expect(bob.msBeforeNext).toBeGreaterThan(590_000)
    expect(await refusalOf(limiter.consume('eve'))).toMatchObject({ consumedPoints: 10, msBeforeNext: -1 })
  })

  it('RateLimiterRedisNonAtomic is atomic, too', async () => {
    const options = { storeClient: client, points: 3, duration: 60, keyPrefix: 'non' }
    const limiter = new RateLimiterRedisNonAtomic(options)
    const calls = await Promise.allSettled(Array.from({ length: 20 }, () => limiter.consume('bob')))
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  it.each([
    [{ storeClient: undefined }, 'storeClient: expected a client of ioredis 5 or 6'],
    // As of the package redis 4.
    [{ storeClient: { evalSha() {}, isOpen: true, isReady: true, select() {} } }, 'storeClient: expected'],
    [
      { storeClient: {} },
      'storeClient: expected a client of ioredis 5 or 6, of the package redis 5 or 6, or a store',
    ],
    [{ customIncrTtlLuaScript: 'return 1' }, 'customIncrTtlLuaScript: expected nothing'],
    [{ useRedis3AndLowerPackage: true }, 'useRedis3AndLowerPackage: expected nothing'],
    [{ inMemoryBlockOnConsumed: 1 }, 'inMemoryBlockOnConsumed: expected a number of at least `points`'],
    [{ blockOnConsumed: 1 }, 'blockOnConsumed: expected a number of at least `points`'],
    [{ blockOnConsume: 5 }, 'blockOnConsume: expected a known option (did you mean "blockOnConsumed"?)'],
    [{ inMemoryBlockDuration: 1 }, 'inMemoryBlockDuration: expected nothing without inMemoryBlockOnConsumed'],
    [{ insuranceLimiter: {} }, 'insuranceLimiter: expected a limiter'],
  ])('refuses %p', (options, message) => {
    const wrong = options as unknown as IRateLimiterRedisOptions // what callers without types pass
    expect(() => limiterOf(wrong)).toThrow(message)
  })
})

describe('blockOnConsumed', () => {
  it('refuses what exceeds the points, and blocks from that many on', async () => {
    const limiter = limiterOf({ points: 2, blockDuration: 600, blockOnConsumed: 5 })
    await limiter.consume('bob', 2)
    expect((await refusalOf(limiter.consume('bob'))).msBeforeNext).toBeLessThanOrEqual(60_000)
    expect((await refusalOf(limiter.consume('bob'))).consumedPoints).toBe(4)
    expect(await refusalOf(limiter.consume('bob'))).toMatchObject({
      consumedPoints: 5,
      msBeforeNext: 600_000,
    })
    expect((await refusalOf(limiter.consume('bob'))).msBeforeNext).toBeLessThan(600_001)
    expect(await limiter.block('eve', 60)).toMatchObject({ consumedPoints: 5 })
  })

  it('may be changed at any time, and as many as the points are the first beyond them', async () => {
    const limiter = limiterOf({ points: 2, blockDuration: 600, blockOnConsumed: 9 })
    limiter.blockOnConsumed = 2
    expect((await limiter.consume('bob', 2)).msBeforeNext).toBe(60_000)
    expect((await refusalOf(limiter.consume('bob'))).msBeforeNext).toBe(600_000)
  })
})

describe('inMemoryBlockOnConsumed', () => {
  it('refuses without asking Redis until the window is over', async () => {
    const limiter = limiterOf({ inMemoryBlockOnConsumed: 2 })
    await limiter.consume('bob', 2)
    const { msBeforeNext } = await refusalOf(limiter.consume('bob'))
    expect(msBeforeNext).toBeGreaterThan(59_000)
    expect((await limiter.get('bob'))?.consumedPoints).toBe(2)
  })

  it('refuses for its own duration from a refusal on', async () => {
    const limiter = limiterOf({ inMemoryBlockOnConsumed: 3, inMemoryBlockDuration: 600 })
    await limiter.consume('bob', 2)
    expect((await refusalOf(limiter.consume('bob'))).msBeforeNext).toBe(600_000)
    await refusalOf(limiter.consume('bob'))
    expect((await limiter.get('bob'))?.consumedPoints).toBe(3)
  })

  it('ends by delete, and for all keys at once', async () => {
    const limiter = limiterOf({ inMemoryBlockOnConsumed: 2 })
    await limiter.consume('bob', 2)
    await limiter.consume('eve', 2)
    await limiter.delete('bob')
    expect((await limiter.consume('bob')).consumedPoints).toBe(1)
    limiter.deleteInMemoryBlockedAll()
    expect((await refusalOf(limiter.consume('eve'))).consumedPoints).toBe(3)
  })

  it('does not hold a key that has no end, which another process may have given points back', async () => {
    const options = { duration: 0, keyPrefix: 'endless', inMemoryBlockOnConsumed: 3 }
    const [limiter, other] = [limiterOf(options), limiterOf(options)]
    expect((await refusalOf(limiter.consume('bob', 3))).msBeforeNext).toBe(-1)
    await other.reward('bob', 2)
    expect((await limiter.consume('bob')).consumedPoints).toBe(2)
  })

  it('ends by itself', async () => {
    const limiter = limiterOf({ duration: 0.1, inMemoryBlockOnConsumed: 2 })
    await limiter.consume('bob', 2)
    // In real time, as a server and its client pass it: the other tests move a clock. By now a busy machine may be past the end.
    const first = await limiter.consume('bob').catch(async () => {
      await pause(110)
      return limiter.consume('bob')
    })
    expect(first.consumedPoints).toBe(1)
  })
})

describe('while Redis does not answer', () => {
  it('every verb rejects with a StoreError, and is not kept waiting', async () => {
    const gone = lost()
    const limiter = limiterOf({ storeClient: gone })
    const verbs = [
      () => limiter.consume('bob'),
      () => limiter.penalty('bob'),
      () => limiter.reward('bob'),
      () => limiter.get('bob'),
      () => limiter.set('bob', 1, 1),
      () => limiter.block('bob', 1),
      () => limiter.delete('bob'),
    ]
    await limiter.consume('bob').catch(() => {})
    // The client tries to connect for as long as it lives, and would answer none of them.
    for (const verb of verbs) expect(isStoreError(await verb().catch((error: unknown) => error))).toBe(true)
    await end(gone)
  })

  it('the insurance limiter answers, with the same options of execution', async () => {
    const gone = lost()
    const insuranceLimiter = new RateLimiterMemory({ points: 5, duration: 60 })
    const limiter = limiterOf({ storeClient: gone, blockDuration: 600, insuranceLimiter })
    expect(insuranceLimiter.blockDuration).toBe(600)
    expect((await limiter.consume('bob')).remainingPoints).toBe(4)
    expect((await limiter.penalty('bob', 2)).consumedPoints).toBe(3)
    expect((await limiter.reward('bob')).consumedPoints).toBe(2)
    expect((await limiter.get('bob'))?.consumedPoints).toBe(2)
    expect((await limiter.set('bob', 5, 60)).consumedPoints).toBe(5)
    expect((await refusalOf(limiter.consume('bob'))).msBeforeNext).toBe(600_000)
    expect((await limiter.block('bob', 5)).msBeforeNext).toBe(5000)
    expect(await limiter.delete('bob')).toBe(true)
    await end(gone)
  })

  it('a refusal and a wrong key are no outage', async () => {
    const insuranceLimiter = new RateLimiterMemory({ points: 5, duration: 60 })
    const limiter = limiterOf({ insuranceLimiter })
    expect(await refusalOf(limiter.consume('bob', 3))).toBeInstanceOf(RateLimiterRes)
    const none = undefined as unknown as string // what callers without types pass
    await expect(limiter.consume(none)).rejects.toThrow('key: expected a string or a number')
    expect(await insuranceLimiter.get('bob')).toBeNull()
  })

  it('rejectIfRedisNotReady asks no client that is not connected', async () => {
    const gone = lost()
    const limiter = limiterOf({ storeClient: gone, rejectIfRedisNotReady: true })
    await expect(limiter.consume('bob')).rejects.toThrow('the client is not connected')
    await end(gone)
    expect((await limiterOf({ rejectIfRedisNotReady: true }).consume('bob')).consumedPoints).toBe(1)
  })
})
