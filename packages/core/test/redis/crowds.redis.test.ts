import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { fill, RedisProcess } from '@sluice/faults'
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
  redisStore,
  type Store,
  slidingWindowLog,
} from '../../src/index.ts'

/** A server of our own: what it is asked is counted, and it runs out of memory. */
let server: RedisProcess
let admin: Redis
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  admin = new Redis({ port: server.port })
})
afterAll(async () => {
  admin.disconnect()
  await server.end()
})

type OneLimiter = Limiter<{ readonly default: Policy }, 'default'>

interface OwnClient {
  readonly redis: RedisClient
  end(): void
}

const clients: Readonly<Record<string, () => Promise<OwnClient>>> = {
  ioredis: async () => ownIoredis(new Redis({ port: server.port })),
  'ioredis with auto-pipelining': async () =>
    ownIoredis(new Redis({ port: server.port, enableAutoPipelining: true })),
  'node-redis': async () => {
    const redis = createClient({ url: server.url })
    await redis.connect()
    return { redis, end: () => redis.destroy() }
  },
}

function ownIoredis(redis: Redis): OwnClient {
  return { redis, end: () => redis.disconnect() }
}

const hour = { window: '1h' } as const
const counter = fixedWindow({ limit: 5, ...hour })

describe.each(Object.entries(clients))('many who ask at once, through %s', (_name, connect) => {
  let client: OwnClient
  let store: Store
  let limiter: OneLimiter
  let mark: string
  beforeEach(async () => {
    client = await connect()
    store = redisStore(client.redis, { deadline: '10s' })
    mark = randomBytes(6).toString('hex')
    limiter = await open('counter', counter)
  })
  afterEach(() => client.end())

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

  /** How often the server has run a script. */
  async function scriptCalls(): Promise<number> {
    const stats = await admin.info('commandstats')
    return ['eval', 'evalsha'].reduce(
      (sum, name) => sum + Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0),
      0,
    )
  }

  it('are answered by few calls, one at a time by one each', async () => {
    await checkAll(keys(64))
    await limiter.check(mark) // the server knows both scripts
    const before = await scriptCalls()
    await checkAll(keys(64))
    const together = await scriptCalls()
    for (const key of keys(5)) await limiter.check(key)
    expect([together - before, (await scriptCalls()) - together]).toEqual([2, 5])
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
      const [foreign = ''] = await admin.keys(`*${names[17]}}*`)
      await admin.set(foreign, 'mine')
      return checkAll(names)
    })()
    expect(decisions.map(({ source }) => source)).toEqual(
      names.map((_, i) => (i === 17 ? 'fallback' : 'redis')),
    )
    const looks = await Promise.all(names.filter((_, i) => i !== 17).map((key) => limiter.peek(key)))
    expect(looks.filter(({ remaining }) => remaining !== 3)).toEqual([])
    expect(store.health?.()).toMatchObject({ status: 'ok', breaker: 'closed' })
  })

  it('on a full server: who is refused needs no memory, and each of the others is counted here once', async () => {
    const names = keys(30)
    const exhausted = names.filter((_, i) => i % 3 === 0)
    await Promise.all(exhausted.map((key) => limiter.check(key, { cost: 5 })))
    const cure = await fill(server)
    const decisions = await checkAll(names)
    await cure()
    expect(decisions.map(({ allowed, source }) => `${allowed} ${source}`)).toEqual(
      names.map((_, i) => (i % 3 === 0 ? 'false redis' : 'true fallback')),
    )
    const left = await Promise.all(names.map((key) => limiter.peek(key)))
    expect(left.map(({ remaining }) => remaining)).toEqual(names.map((_, i) => (i % 3 === 0 ? 0 : 5)))
  })

  it('are decided before a block that is asked for after them', async () => {
    const asked = checkAll(Array.from({ length: 40 }, () => mark))
    const [decisions] = await Promise.all([asked, limiter.block(mark, '1m')])
    expect(decisions.map(({ reason }) => reason)).not.toContain('blocked')
    expect(await limiter.check(mark)).toMatchObject({ reason: 'blocked' })
  })

  it('are all sent to a server that has lost its scripts, and charged once', async () => {
    await checkAll(keys(10))
    await admin.script('FLUSH')
    const decisions = await checkAll(keys(10))
    expect(decisions.filter(({ source, remaining }) => source !== 'redis' || remaining !== 3)).toEqual([])
  })
})
