import '../patient-core.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { baseUs } from '@sluice/conformance/internal'
import { redisUnderTest } from '@sluice/faults'
import { socket } from '@sluice/faults/redis-socket'
import type { FastifyInstance } from 'fastify'
import { Redis } from 'ioredis'
import rateLimit, { type RateLimitPluginOptions } from '../../src/fastify-rate-limit/index.ts'
import { end } from '../end.ts'
import { type Get, served } from './serve.ts'

const redis = new Redis(socket)
// The clients of these tests lack what Sluice recommends for a server that runs for long.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => {}))
afterAll(() => end(redis))

let plugins = 0
let nameSpace = ''
beforeEach(() => {
  nameSpace = `test-${plugins++}-`
})

function limited(options: RateLimitPluginOptions, use: (get: Get) => Promise<void>) {
  const build = async (app: FastifyInstance) => {
    await app.register(rateLimit, { redis, nameSpace, ...options })
    app.get('/', async () => 'hello')
    app.get('/own', { config: { rateLimit: { max: 2 } } }, async () => 'own')
    const ask = app.createRateLimit()
    app.get('/look', { config: { rateLimit: false } }, (request) => ask(request, { increment: false }))
  }
  return served(build, use)
}

const row = async (get: Get, path?: string) => {
  const { status, headers } = await get(path)
  const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']
  return [status, ...names.map((name) => headers.get(name))]
}

it('counts for all processes, and each route on its own', async () => {
  await limited({ max: 1, timeWindow: '1 minute' }, async (get) => {
    expect(await row(get)).toEqual([200, '1', '0', '60', null])
    expect(await row(get, '/own')).toEqual([200, '2', '1', '60', null])
  })
  await limited({ max: 1, timeWindow: '1 minute' }, async (get) => {
    expect((await row(get)).slice(0, 3)).toEqual([429, '1', '0'])
    expect((await row(get, '/own')).slice(0, 3)).toEqual([200, '2', '0'])
    expect((await row(get, '/own')).slice(0, 3)).toEqual([429, '2', '0'])
  })
  expect(await redis.keys(`*${nameSpace}*`)).toHaveLength(2)
})

it('bans after as many refusals as are let pass', async () => {
  await limited({ max: 1, ban: 1 }, async (get) => {
    const statuses = [await get(), await get(), await get(), await get()].map(({ status }) => status)
    expect(statuses).toEqual([200, 429, 403, 403])
  })
})

it('only looks without counting', async () => {
  await limited({ max: 2, timeWindow: '1 minute' }, async (get) => {
    const look = async () => JSON.parse((await get('/look')).body)
    expect(await look()).toMatchObject({ remaining: 2, ttl: 0, isExceeded: false })
    await get()
    expect(await look()).toMatchObject({ remaining: 1, ttlInSeconds: 60 })
    expect(await look()).toMatchObject({ remaining: 1, ttlInSeconds: 60 })
  })
})

it('lets a window end', async () => {
  const moved = await redisUnderTest(socket)
  await limited({ store: moved.store, max: 1, timeWindow: 300 }, async (get) => {
    expect((await get()).status).toBe(200)
    await moved.setClock(baseUs + 299_999)
    expect((await get()).status).toBe(429)
    await moved.setClock(baseUs + 300_000)
    expect((await get()).status).toBe(200)
  })
  await moved.close()
})

it('begins the window anew with continueExceeding', async () => {
  const moved = await redisUnderTest(socket)
  const options = { store: moved.store, max: 1, timeWindow: 20_000, continueExceeding: true }
  await limited(options, async (get) => {
    await get()
    await moved.setClock(baseUs + 1_100_000)
    expect((await row(get))[4]).toBe('20')
    await moved.setClock(baseUs + 21_099_999)
    expect((await row(get))[4]).toBe('20')
    await moved.setClock(baseUs + 41_099_999)
    expect((await get()).status).toBe(200)
  })
  await moved.close()
})

it('gives the key a new life with continueExceeding', async () => {
  await limited({ max: 1, timeWindow: 20_000, continueExceeding: true }, async (get) => {
    await get()
    const [key = ''] = await redis.keys(`*${nameSpace}*`)
    await redis.pexpire(key, 5000)
    await get()
    expect(await redis.pttl(key)).toBeGreaterThan(19_000)
  })
})

it('begins windows twice as long with exponentialBackoff', async () => {
  await limited({ max: 1, timeWindow: 10_000, exponentialBackoff: true }, async (get) => {
    await get()
    const waits = [await row(get), await row(get), await row(get)].map((each) => each[4])
    expect(waits).toEqual(['10', '20', '40'])
    expect(JSON.parse((await get('/look')).body)).toMatchObject({ ttlInSeconds: 40, isExceeded: true })
  })
})

it('admits no more than max of many at once', async () => {
  await limited({ max: 5 }, async (get) => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => get()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  })
})

describe('while Redis is away', () => {
  let away: Redis
  beforeEach(() => {
    jest.spyOn(console, 'error').mockImplementation(() => {})
    away = new Redis({ path: '/nowhere/redis.sock', retryStrategy: () => null })
    away.on('error', () => {})
  })
  afterEach(async () => {
    await end(away)
    jest.mocked(console.error).mockRestore()
  })

  it('this process counts', async () => {
    await limited({ max: 1, redis: away }, async (get) => {
      expect([(await get()).status, (await get()).status]).toEqual([200, 429])
    })
  })

  it('requests pass with skipOnError: true', async () => {
    await limited({ max: 1, redis: away, skipOnError: true }, async (get) => {
      expect((await row(get)).slice(0, 3)).toEqual([200, '1', '1'])
      expect((await row(get)).slice(0, 3)).toEqual([200, '1', '1'])
    })
  })

  it('requests are refused with 503 with skipOnError: false', async () => {
    await limited({ max: 1, redis: away, skipOnError: false }, async (get) => {
      const { status, body } = await get()
      expect([status, JSON.parse(body)]).toMatchObject([503, { code: 'SLUICE_STORE' }])
    })
  })
})
