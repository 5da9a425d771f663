import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { baseUs } from '@sluice/conformance/internal'
import { type Store as CoreStore, redisStore } from '@sluice/core'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { RedisStore } from 'rate-limit-redis'
import { type RateLimitOptions, rateLimit, SluiceStore } from '../../src/express-rate-limit/index.ts'
import { describeInTheirs } from './in-theirs.ts'
import { log, type Site, siteWith, statuses, untilUsed } from './site.ts'

const client = new Redis({ path: socket })
let store: CoreStore
let site: Site | undefined
let prefixes = 0
const prefix = () => `face-${process.pid}-${prefixes++}`

beforeAll(async () => {
  store = redisStore(client, { deadline: '20s', connectDeadline: '20s' })
  await store.ready?.()
})
afterEach(async () => {
  await site?.close()
  site = undefined
})
afterAll(async () => {
  await store.close()
  client.disconnect()
})

describeInTheirs('Redis', () => store)

describe('the face on Redis', () => {
  async function limited(options: RateLimitOptions): Promise<Site> {
    site = await siteWith(
      rateLimit({ logger: log(), store: new SluiceStore(store, { prefix: prefix() }), ...options }),
    )
    return site
  }

  it('counts, refused hits too', async () => {
    const here = await limited({ limit: 2, standardHeaders: 'draft-7' })
    const startedMs = performance.now()
    expect(await statuses(here, 4)).toEqual([200, 200, 429, 429])
    expect(here.seen).toMatchObject([{ used: 1 }, { used: 2 }, { used: 3 }, { used: 4, remaining: 0 }])
    const [, left] =
      /^limit=2, remaining=0, reset=(\d+)$/.exec((await here.get()).headers.get('ratelimit') ?? '') ?? []
    expect(Number(left)).toBeLessThanOrEqual(60)
    expect(Number(left)).toBeGreaterThanOrEqual(Math.floor(60 - (performance.now() - startedMs) / 1000))
  })

  it('counts the first hit beyond the limit once, also where two processes are asked at once', async () => {
    const shared = prefix()
    const used: number[] = []
    const of = (redis: CoreStore) =>
      rateLimit({
        limit: 5,
        validate: false,
        store: new SluiceStore(redis, { prefix: shared }),
        handler: (request, response) => {
          used.push(Reflect.get(Object(request), 'rateLimit').used)
          response.sendStatus(429)
        },
      })
    const second = new Redis({ path: socket })
    const other = redisStore(second, { deadline: '20s', connectDeadline: '20s' })
    await other.ready?.()
    const [one, two] = [await siteWith(of(store)), await siteWith(of(other))]
    const all = await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? one : two).get()))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(used.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, i) => 6 + i))
    await Promise.all([one.close(), two.close(), other.close()])
    second.disconnect()
  })

  it('begins both counts anew with the window', async () => {
    const moved = await redisUnderTest(socket)
    const here = await limited({
      limit: 1,
      windowMs: 300,
      store: new SluiceStore(moved.store, { prefix: prefix() }),
    })
    expect(await statuses(here, 3)).toEqual([200, 429, 429])
    await moved.setClock(baseUs + 299_999)
    expect(await statuses(here, 1)).toEqual([429])
    await moved.setClock(baseUs + 300_000)
    expect(await statuses(here, 2)).toEqual([200, 429])
    expect(here.seen.map((info) => Reflect.get(Object(info), 'used'))).toEqual([1, 2, 3, 4, 1, 2])
    await moved.close()
  })

  it('leaves no key behind that does not expire', async () => {
    const named = prefix()
    const here = await limited({ limit: 1, store: new SluiceStore(store, { prefix: named }) })
    await statuses(here, 3)
    const keys = await client.keys(`*${named}*`)
    expect(keys).toHaveLength(2)
    for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(0)
  })

  it('gives hits back', async () => {
    const limiter = rateLimit({
      limit: 1,
      store: new SluiceStore(store, { prefix: prefix() }),
      skipFailedRequests: true,
    })
    site = await siteWith(limiter)
    for (let i = 0; i < 3; i++) {
      expect(await statuses(site, 1, '/fail')).toEqual([400])
      await untilUsed(limiter, 0)
    }
    expect(await statuses(site, 3)).toEqual([200, 429, 429])
  })

  it('works with a store that others have made for Redis', async () => {
    const theirs = new RedisStore({
      prefix: prefix(),
      sendCommand: (command: string, ...args: string[]) => client.call(command, ...args) as Promise<never>,
    })
    const limiter = rateLimit({ limit: 2, windowMs: 60_000, store: theirs, skipFailedRequests: true })
    site = await siteWith(limiter)
    expect(await statuses(site, 2, '/fail')).toEqual([400, 400])
    await untilUsed(limiter, 0)
    expect(await statuses(site, 3)).toEqual([200, 200, 429])
    expect(site.seen[4]).toMatchObject({ used: 3, remaining: 0, resetTime: expect.any(Date) })
  })
})

describe('a Redis that is not there', () => {
  it('leaves the limit to this process, or with passOnStoreError nothing', async () => {
    for (const [passes, expected] of [
      [false, [200, 429, 429]],
      [true, [200, 200, 200]],
    ] as const) {
      const nowhere = new Redis({ path: '/nowhere/redis.sock', retryStrategy: () => null }).on(
        'error',
        () => {},
      )
      const away = redisStore(nowhere, { connectDeadline: '50ms' })
      const here = await siteWith(
        rateLimit({ limit: 1, store: away, passOnStoreError: passes, logger: log() }),
      )
      expect(await statuses(here, 3)).toEqual(expected)
      await here.close()
      await away.close()
    }
  })
})
