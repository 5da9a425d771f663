import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import {
  createLimiter,
  type Duration,
  fixedWindow,
  type Limiter,
  type Policy,
  redisStore,
  type Store,
  slidingWindowLog,
} from '../../src/index.ts'

const quiet = { warn() {}, error() {} }

describe('processes that take units ahead, on Redis', () => {
  const redis = new Redis(socket)
  afterAll(() => redis.disconnect())
  let prefix: string
  let open: { limiter: Limiter<{ default: Policy<'refund'> }>; store: Store; client: Redis }[]
  let tests = 0

  beforeEach(() => {
    prefix = `ahead ${process.pid} ${tests++}:`
    open = []
  })
  afterEach(async () => {
    for (const { limiter, store, client } of open) {
      await limiter.close()
      await store.close()
      client.disconnect()
    }
  })

  /** One with a client of its own, as another process has it. */
  async function start(policy: Policy<'refund'>, ahead: Duration | undefined) {
    const client = new Redis(socket)
    const store = redisStore(client, { prefix, deadline: '5s' })
    const limiter = createLimiter({ name: 'api', policy, store, ahead, logger: quiet })
    open.push({ limiter, store, client })
    await limiter.ready()
    return limiter
  }

  async function scriptCalls(): Promise<number> {
    const stats = await redis.info('commandstats')
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
  }

  /** As many checks by each limiter, 16 at once; answers how many were admitted. */
  async function crowd(limiters: readonly Limiter<{ default: Policy<'refund'> }>[], checks: number) {
    const admitted = await Promise.all(
      limiters.flatMap((limiter) =>
        Array.from({ length: 16 }, async () => {
          let count = 0
          for (let i = 0; i < checks / 16; i++) if ((await limiter.check('hot')).allowed) count++
          return count
        }),
      ),
    )
    return admitted.reduce((sum, each) => sum + each, 0)
  }

  it('use up the whole limit by calls of different costs, each with the exact rest', async () => {
    const limiter = await start(fixedWindow({ limit: 20, window: '1d' }), '10m')
    // biome-ignore format: a table
    const tries = [
      // as many as before came from the hand when the dearer one is asked for
      [1, 1, 2, 5, 1, 1, 5, 2, 1, 1],
      [1, 1, 1, 3, 1, 4, 1, 1, 1, 3, 3],
      [2, 1, 4, 1, 3, 1, 2, 1, 1, 2, 2],
    ]
    for (const [i, costs] of tries.entries()) {
      let left = 20
      for (const cost of costs) {
        left -= cost
        const { allowed, remaining } = await limiter.check(`key ${i}`, { cost })
        expect({ allowed, remaining }).toEqual({ allowed: true, remaining: left })
      }
    }
  })

  it('admit no more than there is, and all of it, however many they are', async () => {
    const policy = slidingWindowLog({ limit: 2000, window: '10m' })
    const limiters = await Promise.all([1, 2, 3, 4].map(() => start(policy, '50ms')))
    let admitted = await crowd(limiters, 1600)
    expect(admitted).toBeLessThanOrEqual(2000)
    // What was in hand when the others were refused comes back within that time.
    for (let i = 0; admitted < 2000; i++) admitted += await crowd(limiters.slice(i % 4, (i % 4) + 1), 16)
    expect(admitted).toBe(2000)
    expect(await crowd(limiters, 160)).toBe(0)
  })

  // Nothing in hand ends meanwhile, so that no time is measured: how much is taken at once doubles with what is asked for.
  it('ask Redis twenty times less often, with 8,000 checks each of one key', async () => {
    const policy = fixedWindow({ limit: 1_000_000, window: '1h' })
    const without = await scriptCallsFor(await Promise.all([1, 2, 3, 4].map(() => start(policy, undefined))))
    prefix += 'ahead:'
    const ahead = await scriptCallsFor(await Promise.all([1, 2, 3, 4].map(() => start(policy, '1m'))))
    expect(ahead).toBeLessThan(without / 20)
  })

  async function scriptCallsFor(
    limiters: readonly Limiter<{ default: Policy<'refund'> }>[],
  ): Promise<number> {
    const before = await scriptCalls()
    expect(await crowd(limiters, 8000)).toBe(32_000)
    return (await scriptCalls()) - before
  }

  it('give back what they have in hand when they close', async () => {
    const policy = slidingWindowLog({ limit: 1000, window: '10m' })
    const one = await start(policy, '10s')
    expect(await crowd([one], 160)).toBe(160)
    await one.close()
    const other = await start(policy, undefined)
    expect((await other.peek('hot')).remaining).toBe(840)
  })

  it('give back what they have not used in time', async () => {
    const policy = slidingWindowLog({ limit: 1000, window: '10m' })
    const [one, other] = [await start(policy, '30ms'), await start(policy, undefined)]
    expect(await crowd([one], 160)).toBe(160)
    let remaining: number
    do remaining = (await other.peek('hot')).remaining
    while (remaining < 840)
    expect(remaining).toBe(840)
  })

  it('say how many units they have in hand, and how many decisions were made from them', async () => {
    const one = await start(slidingWindowLog({ limit: 1000, window: '10m' }), '10s')
    expect(one.health().ahead).toEqual({ inHand: 0, decisions: 0 })
    await crowd([one], 160)
    const other = await start(slidingWindowLog({ limit: 1000, window: '10m' }), undefined)
    expect(other.health().ahead).toBe(undefined)
    // More may be on their way.
    let remaining: number
    do remaining = (await other.peek('hot')).remaining
    while (remaining !== 840 - (one.health().ahead?.inHand ?? 0))
    expect(remaining).toBeLessThan(840)
    const { decisions = 0 } = one.health().ahead ?? {}
    expect(decisions).toBeGreaterThan(80)
    expect(decisions).toBeLessThan(160)
    await one.close()
    expect(one.health().ahead?.inHand).toBe(0)
  })

  it('refund what was used from the hand', async () => {
    const policy = slidingWindowLog({ limit: 1000, window: '10m' })
    const one = await start(policy, '10s')
    await crowd([one], 160)
    const decision = await one.check('hot')
    await decision.refund()
    await one.close()
    const other = await start(policy, undefined)
    expect((await other.peek('hot')).remaining).toBe(840)
  })

  it('are blocked and reset at once where that is done by themselves', async () => {
    const one = await start(slidingWindowLog({ limit: 1000, window: '10m' }), '10s')
    await crowd([one], 160)
    await one.block('hot', '1m')
    expect(await one.check('hot')).toMatchObject({ allowed: false, reason: 'blocked' })
    await one.unblock('hot')
    await one.reset('hot')
    expect((await one.peek('hot')).remaining).toBe(1000)
  })
})
