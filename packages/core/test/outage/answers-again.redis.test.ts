import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type Cure,
  demote,
  FaultyServer,
  failSaves,
  fill,
  loseReplicas,
  RedisProcess,
  say,
} from '@sluice/faults'
import { Redis, type RedisOptions } from 'ioredis'
import { createClient } from 'redis'
import { concurrency, createLimiter, fixedWindow, type RedisClient, redisStore } from '../../src/index.ts'
import { eventually } from './within.ts'

// Probes come half a second apart.
let first: RedisProcess
let second: RedisProcess
beforeAll(async () => {
  first = await RedisProcess.prepare()
  second = await RedisProcess.prepare()
  await Promise.all([first.start(), second.start()])
})
afterAll(() => Promise.all([first.end(), second.end()]))

/** Run after a test, the last first. */
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

type Healing = Pick<RedisOptions, 'reconnectOnError'>

function ioredis(url: string, options: Healing = {}): RedisClient {
  const client = new Redis(url, { ...options, disconnectTimeout: 100 })
  client.on('error', () => {})
  ends.push(() => client.disconnect())
  return client
}

function nodeRedis(url: string): RedisClient {
  const client = createClient({ url })
  client.on('error', () => {})
  client.connect().catch(() => {})
  ends.push(() => client.destroy())
  return client
}

/** A limiter in use, and what its logger was given. */
async function inUse(redis: RedisClient) {
  const store = redisStore(redis)
  const lines: string[] = []
  const keep = (line: string) => void lines.push(line)
  const limiter = createLimiter({
    name: randomBytes(4).toString('hex'),
    store,
    policy: concurrency({ limit: 2 }),
    logger: { warn: keep, error: keep },
  })
  let probes = 0
  const stop = store.watch?.({
    event: ({ kind }) => void (kind === 'half-open' && probes++),
    warned: () => {},
  })
  ends.push(async () => {
    stop?.()
    await limiter.close()
    await store.close()
  })
  const source = async () => (await limiter.check(randomBytes(6).toString('hex'))).source
  await eventually(async () => (await source()) === 'redis')
  return {
    limiter,
    source,
    probes: () => probes,
    saysAgain: () => lines.filter((line) => line.includes('answers again')).length,
    saysReplica: () => lines.filter((line) => line.includes('SLUICE_CLIENT_READONLY')).length,
  }
}

const forbids =
  (what: string) =>
  async (server: RedisProcess): Promise<Cure> => {
    await say(server, 'ACL', 'SETUSER', 'default', what)
    return async () => void (await say(server, 'ACL', 'SETUSER', 'default', '+@all'))
  }

const troubles: readonly (readonly [string, (server: RedisProcess) => Promise<Cure>])[] = [
  ['is full', fill],
  ['runs no scripts', forbids('-@scripting')],
]

// With a client that is made for a URL the simulation plays it.
describe('over node-redis, a server that tells its time', () => {
  it.each(troubles)('and %s is not said to answer again before it does', async (_what, befall) => {
    const { limiter, source, probes, saysAgain } = await inUse(nodeRedis(first.url))
    const cure = await befall(first)
    ends.push(cure)
    await eventually(async () => (await source()) === 'fallback' && limiter.health().status === 'down')
    // Nobody asks but the probes.
    await eventually(() => probes() >= 3)
    expect([await source(), saysAgain(), limiter.health().status]).toEqual(['fallback', 0, 'down'])
    await cure()
    await eventually(async () => (await source()) === 'redis')
    expect([saysAgain(), limiter.health().status]).toEqual([1, 'ok'])
  })

  it('and lacks a command that only strategies need is not either, where somebody asks', async () => {
    const { limiter, source, probes, saysAgain } = await inUse(nodeRedis(first.url))
    const cure = await forbids('-@sortedset')(first)
    ends.push(cure)
    await eventually(async () => (await source()) === 'fallback' && probes() >= 3)
    expect(saysAgain()).toBe(0)
    await cure()
    await eventually(async () => (await source()) === 'redis')
    expect([saysAgain(), limiter.health().status]).toEqual([1, 'ok'])
  })
})

describe('a server that reads and cannot write', () => {
  it.each<[string, (server: RedisProcess) => Promise<Cure>]>([
    ['too few replicas', loseReplicas],
    ['nowhere to save', failSaves],
    ['no memory left', fill],
  ])('is asked no more, though it refuses keys that others have used up: %s', async (_what, befall) => {
    const name = randomBytes(4).toString('hex')
    const policy = fixedWindow({ limit: 1, window: '1h' })
    const logger = { warn() {}, error() {} }
    const limiterOf = () => {
      const store = redisStore(first.url)
      ends.push(() => store.close())
      return createLimiter({ name, store, policy, logger })
    }
    const [others, own] = [limiterOf(), limiterOf()]
    const used = Array.from({ length: 300 }, (_, n) => `used up ${n}`)
    for (const key of used) await others.check(key)
    await own.ready()
    const cure = await befall(first)
    ends.push(cure)
    // Each refusal comes between two that fail.
    await eventually(async () => {
      await own.check(used.pop() ?? '')
      await own.check(randomBytes(6).toString('hex'))
      return own.health().breaker !== 'closed'
    })
    expect(used.length).toBeGreaterThan(0)
    await cure()
    await eventually(async () => (await own.check(randomBytes(6).toString('hex'))).source === 'redis')
  })
})

describe('a master that is demoted, where its address leads to the new one', () => {
  const healing: Healing = { reconnectOnError: (error) => error.message.includes('READONLY') }
  // biome-ignore format: a table
  it.each<[string, (url: string) => RedisClient, 'redis' | 'fallback']>([
    // client                        made                            who decides in the end
    ['a URL',                        (url) => url,                   'redis'],
    ['ioredis that leaves it',       (url) => ioredis(url, healing), 'redis'],
    ["ioredis that stays with it",   (url) => ioredis(url),                        'fallback'],
    ['node-redis, which stays',      nodeRedis,                      'fallback'],
  ])('is left, or its limiter says that it is not: %s', async (_client, make, decides) => {
    const address = new FaultyServer(first.port)
    await address.start()
    ends.push(() => address.end())
    const { source, probes, saysAgain, saysReplica } = await inUse(make(address.url))
    address.leadTo(second.port)
    const cure = await demote(first, second)
    ends.push(cure)
    await eventually(async () => (await source()) === 'fallback')
    await eventually(async () => {
      const stays = (await source()) === 'fallback'
      return decides === 'redis' ? !stays : probes() >= 3
    })
    expect(await source()).toBe(decides)
    expect(saysReplica()).toBe(decides === 'redis' ? 0 : 1)
    if (decides === 'fallback') expect(saysAgain()).toBe(0)
  })
})
