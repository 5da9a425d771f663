import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fill } from '@sluice/faults'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import {
  createLimiter,
  type Decision,
  fixedWindow,
  gcra,
  type Limiter,
  type Policy,
  type RedisClient,
  type RedisStoreOptions,
  redisStore,
  type Store,
  slidingWindowLog,
  tokenBucket,
} from '../../src/index.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'

let own: OwnServer
beforeAll(async () => {
  own = await startOwnServer()
})
afterAll(() => own.end())

type OneLimiter = Limiter<{ readonly default: Policy }, 'default'>

interface OwnClient {
  readonly redis: RedisClient
  end(): void
}

const clients: Readonly<Record<string, () => Promise<OwnClient>>> = {
  ioredis: async () => ownIoredis(new Redis({ port: own.server.port })),
  'ioredis with auto-pipelining': async () =>
    ownIoredis(new Redis({ port: own.server.port, enableAutoPipelining: true })),
  'node-redis': async () => {
    const redis = createClient({ url: own.server.url })
    await redis.connect()
    return { redis, end: () => redis.destroy() }
  },
}

function ownIoredis(redis: Redis): OwnClient {
  return { redis, end: () => redis.disconnect() }
}

/** How often the server has run a script. */
async function scriptCalls(): Promise<number> {
  const stats = await own.admin.info('commandstats')
  return ['eval', 'evalsha'].reduce(
    (sum, name) => sum + Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0),
    0,
  )
}

const hour = { window: '1h' } as const
/** A busy machine is no outage. */
const patient = { deadline: '20s', connectDeadline: '20s' } as const
const counter = fixedWindow({ limit: 5, ...hour })

describe.each(Object.entries(clients))('many who ask at once, through %s', (_name, connect) => {
  let client: OwnClient
  let store: Store
  let limiter: OneLimiter
  let mark: string
  beforeEach(async () => {
    client = await connect()
    store = redisStore(client.redis, patient)
    mark = randomBytes(6).toString('hex')
    limiter = await open('counter', counter)
  })
  afterEach(async () => {
    await store.close()
    client.end()
  })

  async function open(name: string, policy: Policy): Promise<OneLimiter> {
    const made = createLimiter({ name, policy, store, logger: { warn() {}, error() {} } })
    await made.ready()
    return made
  }

  function keys(count: number): readonly string[] {
    return Array.from({ length: count }, (_, i) => `${mark}-${i}`)
  }

  function checkAll(names: readonly string[], by = limiter): Promise<readonly Decision[]> {
    return Promise.all(names.map((key) => by.check(key)))
  }

  it('are answered by few calls, one at a time by one each', async () => {
    await checkAll(keys(64))
    await limiter.check(mark) // the server knows both scripts
    // After a machine has held up the server, a call carries fewer checks for a while.
    let fewest = Number.POSITIVE_INFINITY
    for (let burst = 0; burst < 10; burst++) {
      const before = await scriptCalls()
      // After a rest the first goes ahead of the others.
      const restsFrom = performance.now()
      while (performance.now() - restsFrom < 2) await own.admin.ping()
      await checkAll(keys(64).map((key) => `${key}-${burst}`))
      fewest = Math.min(fewest, (await scriptCalls()) - before)
    }
    const together = await scriptCalls()
    for (const key of keys(5)) await limiter.check(key)
    expect([fewest, (await scriptCalls()) - together]).toEqual([3, 5])
  })

  it('pass in the order in which they came', async () => {
    const decisions = await Promise.all(Array.from({ length: 12 }, () => limiter.check(mark)))
    expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      ...[4, 3, 2, 1, 0].map((remaining) => [true, remaining]),
      ...Array.from({ length: 7 }, () => [false, 0]),
    ])
  })

  it('of several limiters, strategies and costs are each answered by their own', async () => {
    const log = await open('log', slidingWindowLog({ limit: 3, ...hour }))
    const rate = await open('rate', gcra({ count: 4, period: '1h' }))
    const decisions = await Promise.all(
      keys(20).flatMap((key) => [
        limiter.check(key, { cost: 2 }),
        log.check(key),
        rate.check(key),
        log.check(key, { cost: 2 }),
        limiter.check(key, { cost: 4 }),
      ]),
    )
    const seen = decisions.map(({ allowed, remaining, limit }) => [allowed, remaining, limit])
    expect(seen).toEqual(
      keys(20).flatMap(() => [
        [true, 3, 5],
        [true, 2, 3],
        [true, 3, 4],
        [true, 0, 3],
        [false, 3, 5],
      ]),
    )
  })

  it('with a key that holds what no strategy wrote: that one alone is counted in this process', async () => {
    const names = keys(40)
    const decisions = await (async () => {
      await checkAll(names)
      const [foreign = ''] = await own.admin.keys(`*${names[17]}}*`)
      await own.admin.set(foreign, 'mine')
      return checkAll(names)
    })()
    expect(decisions.map(({ source }) => source)).toEqual(
      names.map((_, i) => (i === 17 ? 'fallback' : 'redis')),
    )
    const looks = await Promise.all(names.filter((_, i) => i !== 17).map((key) => limiter.peek(key)))
    expect(looks.filter(({ remaining }) => remaining !== 3)).toEqual([])
    expect(store.health?.()).toMatchObject({ status: 'ok', breaker: 'closed' })
    expect(store.health?.().warnings).toContain('SLUICE_KEY_FOREIGN')
  })

  it('on a full server: who is refused needs no memory, and each of the others is counted here once', async () => {
    const names = keys(30)
    const exhausted = names.filter((_, i) => i % 3 === 0)
    await Promise.all(exhausted.map((key) => limiter.check(key, { cost: 5 })))
    const cure = await fill(own.server)
    const decisions = await checkAll(names)
    await cure()
    expect(decisions.map(({ allowed, source }) => `${allowed} ${source}`)).toEqual(
      names.map((_, i) => (i % 3 === 0 ? 'false redis' : 'true fallback')),
    )
    const left = await Promise.all(names.map((key) => limiter.peek(key)))
    expect(left.map(({ remaining }) => remaining)).toEqual(names.map((_, i) => (i % 3 === 0 ? 0 : 5)))
  })

  it('with a question that asks nothing, which is answered by nothing', async () => {
    const checked = checkAll(keys(5))
    const nothing = { checks: [], charge: 'all-or-nothing', maxWaitUs: 0, take: true } as const
    expect(await store.answer(nothing)).toEqual([])
    expect((await checked).map(({ source }) => source)).toEqual(keys(5).map(() => 'redis'))
  })

  it('are decided before a block that is asked for after them', async () => {
    const asked = checkAll(Array.from({ length: 40 }, () => mark))
    const [decisions] = await Promise.all([asked, limiter.block(mark, '1m')])
    expect(decisions.map(({ reason }) => reason)).not.toContain('blocked')
    expect(await limiter.check(mark)).toMatchObject({ reason: 'blocked' })
  })

  it('are all sent to a server that has lost its scripts, and charged once', async () => {
    await checkAll(keys(10))
    await own.admin.script('FLUSH')
    const decisions = await checkAll(keys(10))
    expect(decisions.filter(({ source, remaining }) => source !== 'redis' || remaining !== 3)).toEqual([])
  })
})

describe('who is refused', () => {
  let client: OwnClient
  const hold = gcra({ count: 2, period: '1h' })
  beforeEach(async () => {
    client = (await clients.ioredis?.()) as OwnClient // it is in the table above
  })
  afterEach(() => client.end())

  async function open(
    options: RedisStoreOptions = {},
    policy = hold,
  ): Promise<Limiter<{ readonly default: typeof hold }>> {
    const store = redisStore(client.redis, { ...patient, ...options })
    const limiter = createLimiter({ policy, store, logger: { warn() {}, error() {} } })
    await limiter.ready()
    return limiter
  }

  /** How often the server is asked while this is done. */
  async function callsDuring(work: () => Promise<unknown>): Promise<number> {
    const before = await scriptCalls()
    await work()
    return (await scriptCalls()) - before
  }

  async function times(count: number, work: () => Promise<unknown>): Promise<void> {
    for (let i = 0; i < count; i++) await work()
  }

  it('is refused again without asking, with the wait as it is then', async () => {
    const limiter = await open()
    const key = randomBytes(6).toString('hex')
    await times(2, () => limiter.check(key))
    const first = await limiter.check(key)
    const asked = await callsDuring(async () => {
      await times(100, () => limiter.check(key))
      // Waits are whole milliseconds.
      const from = performance.now()
      while (performance.now() - from < 1) await limiter.check(key)
    })
    const last = await limiter.check(key)
    expect([first, last].map(({ allowed, remaining, source }) => [allowed, remaining, source])).toEqual([
      [false, 0, 'redis'],
      [false, 0, 'redis'],
    ])
    expect(asked).toBe(0)
    expect(last.retryAfterMs).toBeLessThan(first.retryAfterMs ?? 0)
    expect(last.resetAfterMs).toBeLessThan(first.resetAfterMs)
    await limiter.close()
  })

  it('passes at once when this process gives back, resets or unblocks', async () => {
    const limiter = await open()
    const key = randomBytes(6).toString('hex')
    const [one, other] = [await limiter.check(key), await limiter.check(key)]
    expect(await limiter.check(key)).toMatchObject({ allowed: false })
    await one.refund()
    expect(await limiter.check(key)).toMatchObject({ allowed: true })
    expect(await limiter.check(key)).toMatchObject({ allowed: false })
    await limiter.reset(key)
    expect(await limiter.check(key)).toMatchObject({ allowed: true })
    await limiter.block(key, '1h')
    expect(await limiter.check(key)).toMatchObject({ allowed: false, reason: 'blocked' })
    await limiter.unblock(key)
    expect(await limiter.check(key)).toMatchObject({ allowed: true })
    expect(other.allowed).toBe(true)
    await limiter.close()
  })

  it('passes at once when this process rewards the key or sets its count', async () => {
    const limiter = await open()
    const key = randomBytes(6).toString('hex')
    const passes = async () => {
      const { allowed, source } = await limiter.check(key)
      expect(source).toBe('redis')
      return allowed
    }
    expect([await passes(), await passes(), await passes()]).toEqual([true, true, false])
    await limiter.reward(key, 1)
    expect([await passes(), await passes()]).toEqual([true, false])
    await limiter.set(key, 0)
    expect([await passes(), await passes(), await passes()]).toEqual([true, true, false])
    await limiter.set(key, 2)
    expect([await passes(), await passes()]).toEqual([false, false])
    await limiter.set(key, 1)
    expect([await passes(), await passes()]).toEqual([true, false])
    await limiter.close()
  })

  it('by a look at a bucket that starts empty and is unknown, begins with the first check', async () => {
    const limiter = await open({}, tokenBucket({ capacity: 2, count: 1, period: '1h', start: 'empty' }))
    const key = randomBytes(6).toString('hex')
    expect((await limiter.peek(key)).allowed).toBe(false)
    expect(await callsDuring(() => limiter.check(key))).toBe(1)
    expect(await callsDuring(() => limiter.check(key))).toBe(0)
    await limiter.close()
  })

  it('is asked for each time where the cost is another, or refusals are not kept', async () => {
    const key = randomBytes(6).toString('hex')
    const keeping = await open()
    await times(3, () => keeping.check(key))
    await keeping.check(key, { cost: 2 })
    expect(await callsDuring(() => times(10, () => keeping.check(key, { cost: 2 })))).toBe(10)
    await keeping.close()
    client.end()
    client = (await clients.ioredis?.()) as OwnClient // it is in the table above
    const asking = await open({ refusalCache: 0 })
    await asking.check(key)
    expect(await callsDuring(() => times(10, () => asking.check(key)))).toBe(10)
    await asking.close()
  })

  it('is asked for again when the time is over', async () => {
    const limiter = await open({ refusalCache: '20ms' })
    const key = randomBytes(6).toString('hex')
    await times(3, () => limiter.check(key))
    const asked = await callsDuring(async () => {
      const startedAt = performance.now()
      while (performance.now() - startedAt < 100) await limiter.check(key)
      // However few of the calls above a busy machine has made: by now the time is over.
      await limiter.check(key)
    })
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(6)
    await limiter.close()
  })

  it('lasts for no negative time', () => {
    const set = () => redisStore('redis://127.0.0.1:1', { refusalCache: '-1s' as never })
    expect(set).toThrow(expect.objectContaining({ code: 'SLUICE_OPTION', path: 'refusalCache' }))
  })
})
