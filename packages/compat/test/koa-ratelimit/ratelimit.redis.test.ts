import '../patient-core.ts'
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals'
import { baseUs } from '@sluice/conformance/internal'
import { createLimiter, redisStore, slidingWindowLog } from '@sluice/core'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { type MiddlewareOptions, ratelimit } from '../../src/koa-ratelimit/index.ts'
import { end } from '../end.ts'
import { served } from './serve.ts'

const db = new Redis(socket)
// The clients of these tests lack what Sluice recommends for a server that runs for long.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => {}))
afterAll(() => end(db))

let namespaces = 0

function appWith(options: MiddlewareOptions): Koa {
  const app = new Koa()
  app.use(ratelimit({ db, ...options }))
  app.use((ctx) => {
    ctx.body = 'hello'
  })
  return app
}

it('counts for all processes, whatever their limits', async () => {
  const namespace = `shared-${namespaces++}`
  await served(appWith({ namespace, max: 3 }), async (get) => {
    expect((await get()).headers.get('X-RateLimit-Remaining')).toBe('2')
  })
  await served(appWith({ namespace, max: 2 }), async (get) => {
    expect((await get()).headers.get('X-RateLimit-Remaining')).toBe('0')
    expect((await get()).status).toBe(429)
  })
  expect(await db.keys(`*${namespace}*`)).toHaveLength(1)
})

it("leaves a count that Sluice's own options go on with", async () => {
  const namespace = `count-${namespaces++}`
  await served(appWith({ namespace, max: 3, duration: 60_000 }), (get) => get())
  const anotherProcess = new Redis(socket)
  const policy = slidingWindowLog({ limit: 3, window: '1m' })
  const limiter = createLimiter({ name: namespace, policy, store: redisStore(anotherProcess) })
  expect((await limiter.check('127.0.0.1')).remaining).toBe(1)
  await end(anotherProcess)
})

it('refuses until the oldest of max requests is a duration ago', async () => {
  const moved = await redisUnderTest(socket)
  const at = (seconds: number) => moved.setClock(baseUs + seconds * 1_000_000)
  const namespace = `window-${namespaces++}`
  await served(appWith({ db: moved.store, namespace, max: 2, duration: 60_000 }), async (get) => {
    await get()
    await at(1.1)
    await get()
    const refused = await get()
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '59'])
    await at(59.999999)
    expect((await get()).status).toBe(429)
    await at(60)
    expect((await get()).status).toBe(200)
    await at(61.099999)
    expect((await get()).status).toBe(429)
  })
  await moved.close()
})

it('admits no more than max of many at once', async () => {
  await served(appWith({ namespace: `crowd-${namespaces++}`, max: 5 }), async (get) => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => get()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  })
})

it('counts in this process while Redis is away', async () => {
  const away = new Redis({ path: '/nowhere/redis.sock', retryStrategy: () => null })
  away.on('error', () => {})
  const error = jest.spyOn(console, 'error').mockImplementation(() => {})
  await served(appWith({ db: away, max: 2 }), async (get) => {
    const statuses = [await get(), await get(), await get()].map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 429])
  })
  await end(away)
  error.mockRestore()
})
