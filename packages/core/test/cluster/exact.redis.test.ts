import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { type ClusterClientName, clusterClientNames, clusterUnderTest, RedisCluster } from '@sluice/faults'
import { Cluster } from 'ioredis'
import {
  type Check,
  createLimiter,
  fixedWindow,
  type Limiter,
  notApplicable,
  type Policies,
  redisStore,
  slidingWindowLog,
} from '../../src/index.ts'
import { slotOf } from '../../src/redis/slot.ts'
import { type Application, applicationOn, atOnce, patient } from './application.ts'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

const applications: Application[] = []
afterEach(async () => {
  for (const { end } of applications.splice(0)) await end()
})

/** Limiters of one name, each over a connection of its own. */
async function limitersOf<P extends Policies>(
  client: ClusterClientName,
  policies: P,
  charge: 'all-or-nothing' | 'every-level' = 'all-or-nothing',
): Promise<readonly Limiter<P>[]> {
  const name = randomBytes(6).toString('hex')
  const made = await atOnce(4, () => applicationOn(cluster, client))
  applications.push(...made)
  return made.map(({ store }) => createLimiter({ name, store, policies, charge }) as Limiter<P>) // what it says, of any P
}

function nth<T>(list: readonly T[], i: number): T {
  const found = list[i % list.length]
  if (found === undefined) throw new Error('the list is empty')
  return found
}

describe.each(clusterClientNames)('a cluster, through %s', (client) => {
  it('admits as often as the limit says: 32 callers, 4 connections, 60 keys', async () => {
    const [limit, keys, callers] = [10, 60, 32]
    const limiters = await limitersOf(client, { visit: fixedWindow({ limit, window: '1h' }) })
    const before = await sizes()
    const admitted = new Map<string, number>()
    await atOnce(callers, async (caller) => {
      // Each begins with another key, so that at any time all keys are asked for.
      for (let i = 0; i < keys; i++) {
        const key = `visitor ${(caller * 7 + i) % keys}`
        const { allowed, source } = await nth(limiters, caller).check(key)
        expect(source).toBe('redis')
        if (allowed) admitted.set(key, (admitted.get(key) ?? 0) + 1)
      }
    })
    expect([...new Set(admitted.values())]).toEqual([limit])
    expect(admitted.size).toBe(keys)
    const looks = await atOnce(keys, (key) => nth(limiters, key).peek(`visitor ${key}`))
    expect(looks.filter(({ remaining, allowed }) => remaining !== 0 || allowed)).toEqual([])
    // A third would be 20: chance alone makes it less than 5 in one of a hundred thousand runs.
    for (const [i, size] of (await sizes()).entries()) expect(size - (before[i] ?? 0)).toBeGreaterThan(4)
  })

  // biome-ignore format: a table
  it.each([
    // the resource is asked  of it  of each client  admitted
    ['first',                 10,    50,             10],
    ['last',                  10,    50,             10],
    ['first',                 1000,  2,              28],
    ['last',                  1000,  2,              28],
  ] as const)('all or nothing: the resource is asked %s and has %d places, each of 14 clients %d', async (asked, places, each, admitted) => {
    const resource = resourceAsked(asked)
    const limiters = await limitersOf(client, {
      resource: fixedWindow({ limit: places, window: '1h' }),
      client: slidingWindowLog({ limit: each, window: '1h' }),
    })
    const clients = Array.from({ length: 14 }, (_, i) => `client ${i}`)
    const decisions = await atOnce(14 * 4, (i) => nth(limiters, i).check({ resource, client: nth(clients, i) }))
    const allowed = decisions.filter(({ allowed }) => allowed)
    expect(allowed.length).toBeLessThanOrEqual(admitted)
    // Units on their way back may keep a place empty for a moment: whoever comes then gets it.
    for (const [i, key] of [...clients, ...clients, ...clients].entries()) {
      const { allowed: late } = await nth(limiters, i).check({ resource, client: key })
      if (late) allowed.push(nth(decisions, i))
    }
    expect(allowed).toHaveLength(admitted)
    const left = await nth(limiters, 0).peek({ resource, client: notApplicable })
    expect(left.remaining).toBe(places - admitted)
    const spent = await atOnce(14, async (i) => each - (await nth(limiters, i).peek({ resource: notApplicable, client: nth(clients, i) })).remaining)
    expect(spent.reduce((sum, units) => sum + units)).toBe(admitted)
  })

  it('every level by itself: who allows is charged, and states when the same request would pass', async () => {
    const [limiter] = await limitersOf(
      client,
      { user: fixedWindow({ limit: 3, window: '1h' }), trade: fixedWindow({ limit: 1, window: '1m' }) },
      'every-level',
    )
    const subject = { user: 'alex', trade: 'alex of another slot' }
    const seen = []
    for (let i = 0; i < 3; i++) {
      const { allowed, verdicts, retryAfterMs } = (await limiter?.check(subject)) ?? {}
      seen.push([
        allowed,
        verdicts?.user?.remaining,
        verdicts?.trade?.remaining,
        Math.ceil((retryAfterMs ?? 0) / 60_000),
      ])
    }
    // biome-ignore format: a table
    expect(seen).toEqual([
      // allowed  left: user  trade  minutes to wait for both
      [true,      2,          0,     0],
      [false,     1,          0,     1],
      [false,     0,          0,     60],
    ])
  })
})

it('counts the same key once, whoever asks: two clients agree on its slot', async () => {
  const policies = { default: fixedWindow({ limit: 9, window: '1h' }) }
  const name = randomBytes(6).toString('hex')
  const limiters = await atOnce(clusterClientNames.length, async (i) => {
    const application = await applicationOn(cluster, nth(clusterClientNames, i))
    applications.push(application)
    return createLimiter({ name, store: application.store, policies })
  })
  const keys = ['{', '}', '{}', '}{', '{a}b', '', 'a:b', '🐅', 'é{é}', '\ud800', '%7b', 'x'.repeat(500)]
  for (const key of keys) {
    const remaining = []
    for (const limiter of limiters) remaining.push((await limiter.check([key, 'of all'])).remaining)
    expect({ key, remaining }).toEqual({ key, remaining: [8, 7, 6, 5] })
  }
})

it('a lazy ioredis client is connected when it is first wanted', async () => {
  const client = new Cluster([...cluster.addresses], { lazyConnect: true })
  const store = redisStore(client, { deadline: patient })
  applications.push({ store, end: () => store.close().then(() => client.disconnect()) })
  const limiter = createLimiter({ name: 'lazy', store, policy: fixedWindow({ limit: 1, window: '1h' }) })
  expect((await limiter.check('bob')).source).toBe('redis')
})

type Prefixed = { keyPrefix: string }

it.each<[where: string, options: Prefixed | { redisOptions: Prefixed }]>([
  ['for the cluster', { keyPrefix: 'shop:' }],
  ['for the cluster, with a tag', { keyPrefix: '{shop}:' }],
  ['for its servers', { redisOptions: { keyPrefix: '{shop}:' } }],
])('an ioredis client that has a keyPrefix %s puts it before the keys of limits', async (_where, options) => {
  const client = new Cluster([...cluster.addresses], options)
  const store = redisStore(client, { deadline: patient })
  applications.push({ store, end: () => store.close().then(() => client.disconnect()) })
  const name = randomBytes(6).toString('hex')
  const limiter = createLimiter({ name, store, policy: fixedWindow({ limit: 2, window: '1h' }) })
  const moved = await redirected()
  // The second call goes by digest.
  expect((await limiter.check('bob')).source).toBe('redis')
  expect((await limiter.check('bob')).remaining).toBe(0)
  expect(await client.exists(`sl3:{bob}:${name}:fw`)).toBe(1)
  expect(await redirected()).toBe(moved)
})

/** How many calls the cluster's servers have sent elsewhere. */
async function redirected(): Promise<number> {
  const said = await Promise.all(cluster.masters.map(({ client }) => client.info('errorstats')))
  return said.reduce((sum, text) => sum + Number(/errorstat_MOVED:count=(\d+)/.exec(text)?.[1] ?? 0), 0)
}

describe('servers whose clocks differ', () => {
  it('are each known by their own: no call is sent twice for it', async () => {
    // By master: µs before or after the first one's.
    const aheadUs = [0, 3_600_000_000, -3_600_000_000]
    const { store, close } = await clusterUnderTest(cluster, {
      client: 'ioredis 6',
      deadlineUs: 5_000_000,
      aheadUs: (key) => nth(aheadUs, masterOf(key)),
    })
    applications.push({ store, end: close })
    const checks = aheadUs.map((_, master) => checkOf(master))
    const askAll = async () => {
      for (const check of checks)
        await store.answer({ checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true })
    }
    // The first calls learn the clocks.
    await askAll()
    const before = await calls()
    for (let i = 0; i < 5; i++) await askAll()
    expect((await calls()).map((count, nth) => count - (before[nth] ?? 0))).toEqual([5, 5, 5])
  })
})

/** Which of the masters holds a key. */
function masterOf(key: string): number {
  return Math.floor((slotOf(key) * 3) / 16_384)
}

/** A check whose key the nth master holds. */
function checkOf(nth: number): Check {
  for (let i = 0; ; i++) {
    const key = `clock ${i}`
    if (masterOf(`{${key}}`) !== nth) continue
    const policy = fixedWindow({ limit: 100, window: '1h' })
    return { id: 'a:b:fw', policy, key, cost: 1, note: undefined, shadow: false, onStoreFailure: 'local' }
  }
}

/** How many scripts each master has run. */
async function calls(): Promise<number[]> {
  const stats = await Promise.all(cluster.masters.map(({ client }) => client.info('commandstats')))
  return stats.map((text) => Number(/cmdstat_evalsha:calls=(\d+)/.exec(text)?.[1] ?? 0))
}

/** Groups are asked in the order of their slots. */
function resourceAsked(asked: 'first' | 'last'): string {
  for (let i = 0; ; i++) {
    const slot = slotOf(`{resource ${i}}`)
    if (asked === 'first' ? slot < 100 : slot > 16_283) return `resource ${i}`
  }
}

async function sizes(): Promise<number[]> {
  return Promise.all(cluster.masters.map(({ client }) => client.dbsize()))
}
