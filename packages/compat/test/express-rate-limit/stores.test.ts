import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { type Store as CoreStore, createLimiter, fixedWindow, isStoreError, memoryStore } from '@sluice/core'
import {
  type ClientRateLimitInfo,
  type LegacyStore,
  MemoryStore,
  type RateLimitOptions,
  rateLimit,
  SluiceStore,
  type Store,
} from '../../src/express-rate-limit/index.ts'
import { log, type Site, siteWith, statuses } from './site.ts'

let site: Site | undefined

afterEach(async () => {
  jest.useRealTimers()
  await site?.close()
  site = undefined
})

async function limited(options: RateLimitOptions): Promise<Site> {
  site = await siteWith(rateLimit({ logger: log(), ...options }))
  return site
}

/** A user's own store. */
class MapStore implements Store {
  readonly hits = new Map<string, number>()
  readonly calls: string[] = []

  init({ windowMs }: { windowMs: number }): void {
    this.calls.push(`init ${windowMs}`)
  }
  async increment(key: string): Promise<ClientRateLimitInfo> {
    const totalHits = (this.hits.get(key) ?? 0) + 1
    this.hits.set(key, totalHits)
    return { totalHits, resetTime: new Date(Date.now() + 60_000) }
  }
  decrement(key: string): void {
    this.calls.push(`decrement ${key}`)
    this.hits.set(key, (this.hits.get(key) ?? 0) - 1)
  }
  resetKey(key: string): void {
    this.hits.delete(key)
  }
}

describe("a user's own store", () => {
  it('counts', async () => {
    const store = new MapStore()
    const here = await limited({ store, limit: 2, windowMs: 1000 })
    expect(await statuses(here, 4)).toEqual([200, 200, 429, 429])
    expect(here.seen).toMatchObject([{ used: 1 }, { used: 2 }, { used: 3 }, { used: 4, key: '127.0.0.1' }])
    expect(store.calls).toEqual(['init 1000'])
  })

  it('gets hits back, but not those of a window that is over', async () => {
    const store = new MapStore()
    const here = await limited({ store, skipFailedRequests: true })
    await statuses(here, 1, '/fail')
    expect(store.calls).toEqual(['init 60000', 'decrement 127.0.0.1'])
    const over = new MapStore()
    over.increment = async () => ({ totalHits: 1, resetTime: new Date(Date.now() - 1) })
    await here.close()
    await statuses(await limited({ store: over, skipFailedRequests: true }), 1, '/fail')
    expect(over.calls).toEqual(['init 60000'])
  })

  it('may be one of version 5', async () => {
    const hits = new Map<string, number>()
    const store: LegacyStore = {
      incr(key, callback) {
        hits.set(key, (hits.get(key) ?? 0) + 1)
        callback(undefined, hits.get(key) ?? 0, undefined)
      },
      decrement: (key) => void hits.set(key, (hits.get(key) ?? 0) - 1),
      resetKey: (key) => void hits.delete(key),
    }
    const limiter = rateLimit({ store, limit: 1, validate: false, skipFailedRequests: true })
    site = await siteWith(limiter)
    expect(await statuses(site, 2, '/fail')).toEqual([400, 400])
    expect(await statuses(site, 2)).toEqual([200, 429])
    limiter.resetKey('127.0.0.1')
    expect(hits.size).toBe(0)
    expect(() => limiter.getKey('127.0.0.1')).toThrow('getKey: the store has no method get')
  })

  it.each<[string, () => unknown]>([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
    ['answers nothing', () => undefined],
    ['answers no count', async () => ({ totalHits: undefined })],
    ['answers NaN', async () => ({ totalHits: Number.NaN })],
  ])('that %s is an error, or with passOnStoreError no limit', async (_name, increment) => {
    const store = Object.assign(new MapStore(), { increment })
    const here = await limited({ store })
    expect(await statuses(here, 1)).toEqual([500])
    await here.close()
    const logger = log()
    const open = await limited({ store, logger, validate: false, passOnStoreError: true })
    expect(await statuses(open, 1)).toEqual([200])
    expect(open.seen).toEqual([undefined])
    expect(logger.lines).toEqual([
      expect.stringContaining(
        'express-rate-limit: error from store, allowing request without rate-limiting.',
      ),
    ])
  })

  it('that hangs holds a request for five seconds', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    const store = Object.assign(new MapStore(), { increment: () => new Promise<never>(() => {}) })
    const limiter = rateLimit({ store, validate: false })
    const next = jest.fn()
    const asked = limiter({ ip: '192.0.2.1' } as never, {} as never, next)
    await jest.advanceTimersByTimeAsync(4999)
    expect(next).not.toHaveBeenCalled()
    await jest.advanceTimersByTimeAsync(1)
    await asked
    expect(next.mock.calls).toEqual([[expect.objectContaining({ code: 'SLUICE_STORE' })]])
  })

  it.each<[string, () => Promise<void>]>([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('that %s at its beginning is logged, and asked all the same', async (_name, init) => {
    const logger = log()
    const here = await limited({ store: Object.assign(new MapStore(), { init }), logger, limit: 1 })
    expect(await statuses(here, 2)).toEqual([200, 429])
    expect(logger.lines).toEqual([expect.stringMatching(/error during store initialization\. Error: mine$/)])
  })

  it('may answer what it likes at its beginning', async () => {
    const logger = log()
    const init = () => true as never // what stores without types answer
    const here = await limited({ store: Object.assign(new MapStore(), { init }), logger, limit: 1 })
    expect(await statuses(here, 2)).toEqual([200, 429])
    expect(logger.lines).toEqual([])
  })

  it.each<[string, () => Promise<void>]>([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('that %s when it gets a hit back is logged', async (_name, decrement) => {
    const logger = log()
    const store = Object.assign(new MapStore(), { decrement })
    const here = await limited({ store, logger, skipSuccessfulRequests: true })
    expect(await statuses(here, 1)).toEqual([200])
    expect(logger.lines).toEqual(['express-rate-limit: a hit was not given back. Error: mine'])
  })
})

function fail(): never {
  throw new Error('mine')
}

describe('a store of Sluice', () => {
  it('is taken as it is', async () => {
    const store = memoryStore()
    const here = await limited({ store, limit: 1 })
    expect(await statuses(here, 2)).toEqual([200, 429])
    const same = createLimiter({
      name: 'express-rate-limit',
      store,
      policy: fixedWindow({ limit: 1, window: 60_000 }),
    })
    expect(await same.peek('127.0.0.1')).toMatchObject({ allowed: false })
  })

  it('counts limiters apart by their prefixes', async () => {
    const store = memoryStore()
    const of = (prefix: string, limit: number) =>
      rateLimit({ limit, store: new SluiceStore(store, { prefix }) })
    site = await siteWith(of('one:', 2), of('two:', 3))
    expect(await statuses(site, 3)).toEqual([200, 200, 429])
    expect(() => rateLimit({ limit: 9, store: new SluiceStore(store, { prefix: 'one:' }) })).toThrow(
      'prefix: expected one of its own',
    )
  })

  it('keeps a key at its limit, however many others come', async () => {
    const store = memoryStore({ maxKeys: 10 })
    const here = await limited({ store, limit: 2, keyGenerator: (request) => String(request.query.user) })
    expect(await statuses(here, 3, '/?user=mallory')).toEqual([200, 200, 429])
    for (let i = 0; i < 50; i++) await here.get(`/?user=${i}`)
    expect(await statuses(here, 1, '/?user=mallory')).toEqual([429])
  })

  it.each([false, true])('that knows no count is one that fails; passOnStoreError %p', async (passes) => {
    const broken: CoreStore = {
      ...memoryStore(),
      name: 'broken',
      answer: () => Object.assign([{ ...away, allowed: true }], { source: 'none' }),
      manage: () => undefined,
      adjust: () => {},
      close: async () => {},
    }
    const here = await limited({ store: broken, passOnStoreError: passes, validate: false })
    expect(await statuses(here, 1)).toEqual([passes ? 200 : 500])
  })
})

const away = {
  allowed: true,
  reason: null,
  limit: 5,
  remaining: 0,
  retryAfterUs: 0,
  resetAfterUs: 0,
  waitUs: 0,
  receipt: '',
  uncounted: true as const,
}

describe('SluiceStore', () => {
  const made = (limit?: number): SluiceStore => {
    const store = new SluiceStore(memoryStore(), { prefix: 'a:' })
    store.init(limit === undefined ? { windowMs: 60_000 } : { windowMs: 60_000, limit })
    return store
  }

  it.each([undefined, 0, 1, 2, 10])('counts all hits, whatever the limit is: %p', async (limit) => {
    const store = made(limit)
    const counts: number[] = []
    for (let i = 0; i < 4; i++) counts.push((await store.increment('key')).totalHits)
    expect(counts).toEqual([1, 2, 3, 4])
    expect(await store.get('key')).toEqual({ totalHits: 4, resetTime: expect.any(Date) })
    await store.decrement('key')
    await store.decrement('key')
    expect(await store.get('key')).toMatchObject({ totalHits: 2 })
    expect((await store.increment('key')).totalHits).toBe(3)
    for (let i = 0; i < 9; i++) await store.decrement('key')
    expect(await store.get('key')).toBeUndefined()
    expect((await store.increment('key')).totalHits).toBe(1)
    await store.resetKey('key')
    expect(await store.get('key')).toBeUndefined()
  })

  it('is ready before init, with a window of a minute', async () => {
    const store = new SluiceStore(memoryStore())
    const beforeMs = Date.now()
    const { totalHits, resetTime } = await store.increment('key')
    expect(totalHits).toBe(1)
    expect(Number(resetTime)).toBeGreaterThanOrEqual(beforeMs + 60_000)
    expect(Number(resetTime)).toBeLessThanOrEqual(Date.now() + 60_001)
  })

  it('ends its window for hits beyond the limit with that of the others', async () => {
    jest.useFakeTimers()
    const store = new MemoryStore()
    store.init({ windowMs: 1000, limit: 1 })
    await store.increment('key')
    jest.advanceTimersByTime(900)
    const { totalHits, resetTime } = await store.increment('key')
    expect(totalHits).toBe(2)
    expect(Number(resetTime) - Date.now()).toBe(100)
    jest.advanceTimersByTime(100)
    expect(await store.get('key')).toBeUndefined()
    expect((await store.increment('key')).totalHits).toBe(1)
    expect((await store.increment('key')).totalHits).toBe(2)
  })

  it('leaves the store open that it was given', async () => {
    const inner = memoryStore()
    const store = new SluiceStore(inner)
    await store.increment('key')
    store.shutdown()
    expect((await store.increment('key')).totalHits).toBe(2)
  })

  it.each([undefined, null, {}, 'redis://localhost'])('is an OptionError without a store: %p', (store) => {
    expect(() => new SluiceStore(store as never)).toThrow('store: expected a store such as')
  })

  it('rejects what it cannot count', async () => {
    const store = made()
    await expect(store.increment('')).rejects.toThrow('subject: expected a key')
    expect(isStoreError(await store.get('').catch((error) => error))).toBe(false)
  })
})

describe('MemoryStore', () => {
  it('forgets all keys', async () => {
    const store = new MemoryStore()
    expect(store.localKeys).toBe(true)
    store.init({ windowMs: 60_000, limit: 1 })
    await store.increment('one')
    await store.increment('two')
    await store.resetAll()
    expect((await store.increment('one')).totalHits).toBe(1)
    store.shutdown()
    expect((await store.increment('one')).totalHits).toBe(1)
  })

  it("follows a test's fake timers", async () => {
    const store = new MemoryStore()
    store.init({ windowMs: 60_000, limit: 1 })
    await store.increment('real')
    jest.useFakeTimers()
    await store.increment('key')
    jest.advanceTimersByTime(59_999)
    expect((await store.increment('key')).totalHits).toBe(2)
    jest.advanceTimersByTime(1)
    expect((await store.increment('key')).totalHits).toBe(1)
  })

  it('takes maxKeys', () => {
    expect(() => new MemoryStore({ maxKeys: 0 })).toThrow('maxKeys: expected a whole number of at least 1')
  })
})
