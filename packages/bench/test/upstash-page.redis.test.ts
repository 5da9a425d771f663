import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  createLimiter,
  fixedWindow,
  type Policy,
  redisStore,
  slidingWindowCounter,
  tokenBucket,
} from '@sluice/core'
import { socket } from '@sluice/faults/redis-socket'
import { Ratelimit } from '@upstash/ratelimit'
import type { Redis as UpstashRedis } from '@upstash/redis'
import { Redis } from 'ioredis'
import { OverIoredis } from '../src/others/upstash-ratelimit.ts'

const logger = { warn: () => {}, error: () => {} }
let client: Redis
let store: ReturnType<typeof redisStore>
beforeAll(() => {
  client = new Redis({ path: socket })
  // However busy this machine is, Redis decides.
  store = redisStore(client, { deadline: '20s' })
})
afterAll(async () => {
  await store.close()
  await client.quit()
})

const window = '1000 d'
const algorithms = {
  fixedWindow: Ratelimit.fixedWindow(10, window),
  slidingWindow: Ratelimit.slidingWindow(10, window),
  tokenBucket: Ratelimit.tokenBucket(10, window, 10),
}
const policies: Readonly<Record<keyof typeof algorithms, Policy<'reward'>>> = {
  fixedWindow: fixedWindow({ limit: 10, window: '300d' }),
  slidingWindow: slidingWindowCounter({ limit: 10, window: '300d' }),
  tokenBucket: tokenBucket({ capacity: 10, count: 10, period: '300d' }),
}

/** The same limit there and here, each with a count of its own. */
function both(name: keyof typeof algorithms) {
  const prefix = randomUUID()
  const redis = new OverIoredis(client) as unknown as UpstashRedis // the two that checks call
  const there = new Ratelimit({ redis, limiter: algorithms[name], prefix, ephemeralCache: false })
  const here = createLimiter({ name: prefix, policy: policies[name], store, logger })
  const left = async () => [(await there.getRemaining('bob')).remaining, (await here.peek('bob')).remaining]
  const ask = async (units: number) => [
    (await there.limit('bob', { rate: units })).success,
    (await here.check('bob', { cost: units })).allowed,
  ]
  return { there, here, left, ask }
}

// What docs/moving/upstash-ratelimit.md says of both.
describe.each(['fixedWindow', 'slidingWindow', 'tokenBucket'] as const)('%s there and here', (name) => {
  it('take costs, look and forget alike', async () => {
    const { there, here, left, ask } = both(name)
    expect(await left()).toEqual([10, 10])
    expect(await ask(3)).toEqual([true, true])
    expect(await left()).toEqual([7, 7])
    await there.resetUsedTokens('bob')
    await here.reset('bob')
    expect(await left()).toEqual([10, 10])
  })

  it('a negative rate gives back what reward gives back', async () => {
    const { there, here, left, ask } = both(name)
    await ask(8)
    await there.limit('bob', { rate: -3 })
    await here.reward('bob', 3)
    expect(await left()).toEqual([5, 5])
  })

  it('a cost that does not fit: there a window is charged, here nothing is', async () => {
    const { left, ask } = both(name)
    await ask(8)
    expect(await ask(5)).toEqual([false, false])
    expect(await left()).toEqual([name === 'tokenBucket' ? 2 : 0, 2])
  })
})

it('a refused request adds to the count of a fixed window there, and not here', async () => {
  const { there, here, ask, left } = both('fixedWindow')
  await ask(10)
  expect(await ask(1)).toEqual([false, false])
  await there.limit('bob', { rate: -1 })
  await here.reward('bob', 1)
  expect(await left()).toEqual([0, 1])
})

it('Redis that answers an error: there limit rejects, here the policy decides', async () => {
  const away = new Redis({
    path: '/nowhere/at-all.sock',
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  away.on('error', () => {})
  const there = new Ratelimit({
    redis: new OverIoredis(away) as unknown as UpstashRedis, // the two that checks call
    limiter: algorithms.fixedWindow,
    ephemeralCache: false,
  })
  await expect(there.limit('bob')).rejects.toThrow()
  const lost = redisStore(away)
  const here = createLimiter({ name: randomUUID(), policy: policies.fixedWindow, store: lost, logger })
  expect((await here.check('bob')).allowed).toBe(true)
  await lost.close()
  away.disconnect()
})
