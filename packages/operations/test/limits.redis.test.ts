import { randomBytes } from 'node:crypto'
import { afterEach, expect, it } from '@jest/globals'
import { type Act, createLimiter, fixedWindow, gcra, memoryStore, redisStore, type Store } from '@sluice/core'
import { until } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { operations, readOperations } from '../src/index.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const newPrefix = () => `limits-${randomBytes(6).toString('hex')}:`
const logger = { warn() {}, error() {} }
const own = fixedWindow({ limit: 5, window: '1h' })

/** A process with one limit that can be changed, and a limiter that has it. */
async function service(prefix: string, storeOf: (client: Redis) => Store = () => memoryStore()) {
  const client = new Redis({ path: socket })
  const ops = operations({ redis: client, prefix, service: 'shop', deadline: '20s' })
  const limits = ops.limits({ free: own })
  const store = storeOf(client)
  const limiter = createLimiter({ name: prefix, policies: limits.policies, store, observers: [ops], logger })
  ends.push(async () => {
    await limiter.close()
    await store.close()
    await ops.close()
    client.disconnect()
  })
  await Promise.all([limiter.ready(), ops.ready()])
  const limitOf = async (key: string) => (await limiter.peek(key)).limit
  return { ops, limits, limiter, limitOf, client, hash: `${prefix}sl1:{ops}:limits` }
}

/** What requests get while a limit is lowered, raised and restored. */
it.each([
  ['memory', () => memoryStore()],
  ['Redis', (client: Redis) => redisStore(client, { deadline: '20s', connectDeadline: '20s' })],
] as const)(
  'what one process changes is in force there at once and soon in every other, counted in %s',
  async (_, storeOf) => {
    const prefix = newPrefix()
    const [here, there] = [await service(prefix, storeOf), await service(prefix, storeOf)]
    for (let i = 0; i < 3; i++) await here.limiter.check('bob')

    await here.limits.set('free', { limit: 2 }, { why: 'incident 12', by: 'alice' })
    expect(here.limits.now('free').limit).toBe(2)
    // What was counted stays counted.
    expect(await here.limiter.check('bob')).toMatchObject({ allowed: false, limit: 2, remaining: 0 })
    await until(async () => (await there.limitOf('eve')) === 2, { what: 'the lower limit' })
    expect(await there.limits.changed()).toEqual([
      {
        name: 'free',
        options: { limit: 2 },
        endsInMs: null,
        why: 'incident 12',
        by: 'alice',
        atMs: expect.any(Number),
      },
    ])

    await there.limits.set('free', { limit: 9 })
    await until(async () => (await here.limitOf('bob')) === 9, { what: 'the higher limit' })
    expect(await here.limiter.peek('bob')).toMatchObject({ allowed: true, remaining: 6 })

    expect(await there.limits.restore('free')).toBe(true)
    expect(await there.limitOf('eve')).toBe(5)
    await until(async () => (await here.limitOf('bob')) === 5, { what: 'its own limit' })
    expect(await here.limiter.peek('bob')).toMatchObject({ remaining: 2 })
    expect(await there.limits.restore('free')).toBe(false)
  },
)

it('a change ends by itself', async () => {
  const { limits, limitOf } = await service(newPrefix())
  await limits.set('free', { limit: 2 }, { for: '1s' })
  const [{ endsInMs } = {}] = await limits.changed()
  expect(endsInMs).toBeGreaterThan(0)
  expect(endsInMs).toBeLessThanOrEqual(1000)
  expect(await limitOf('bob')).toBe(2)
  await until(async () => (await limitOf('bob')) === 5, { what: 'the end' })
  expect(await limits.changed()).toEqual([])
})

it('a process that begins knows what is changed when it is ready', async () => {
  const prefix = newPrefix()
  const first = await service(prefix)
  await first.limits.set('free', { limit: 0 })
  const second = await service(prefix)
  expect(await second.limiter.check('bob')).toMatchObject({ allowed: false, limit: 0 })
})

it('a limit that is made later knows what was changed before', async () => {
  const { ops, limits } = await service(newPrefix())
  await limits.set('free', { limit: 2 })
  const reader = await service(newPrefix())
  const again = ops.limits({ free: own, paid: gcra({ count: 9, period: '1m' }) })
  expect(again.policies.free).toBe(limits.policies.free)
  await reader.ops.ready()
  await ops.ready()
  expect(again.now('free').limit).toBe(2)
  expect(again.now('paid').limit).toBe(9)
})

it('the later of two writers wins, with all that its change says', async () => {
  const prefix = newPrefix()
  const [here, there] = [await service(prefix), await service(prefix)]
  await here.limits.set('free', { limit: 2 }, { by: 'alice', for: '1h' })
  await there.limits.set('free', { window: '2h' }, { by: 'bob' })
  await until(async () => here.limits.now('free').windowMs === 7_200_000, { what: 'the second change' })
  expect(here.limits.now('free').limit).toBe(5)
  expect(await here.limits.changed()).toMatchObject([{ by: 'bob', endsInMs: null }])
})

it('observers and the log hear of it', async () => {
  const prefix = newPrefix()
  const { ops, limits } = await service(prefix)
  const there = await service(prefix)
  const heard: Act[] = []
  const limiter = createLimiter({
    policy: own,
    observers: [there.ops, { acted: (act) => void heard.push(act) }],
  })
  await there.ops.ready()
  await limits.set('free', { limit: 2, window: '2h' }, { for: '2h', why: 'incident 12', by: 'alice' })
  await limits.restore('free', { by: 'alice' })
  await until(async () => heard.length === 2, { what: 'both acts' })
  expect(heard).toMatchObject([
    {
      act: 'change',
      key: 'free',
      to: 'limit=2 window=2h',
      forMs: 7_200_000,
      why: 'incident 12',
      by: 'alice',
    },
    { act: 'restore', key: 'free', by: 'alice' },
  ])
  await limiter.close()
  await ops.ready()
})

it('what makes no sense in this version changes nothing, and readers hear why', async () => {
  const prefix = newPrefix()
  const { ops, limits, limitOf } = await service(prefix)
  const client = new Redis({ path: socket })
  const reader = readOperations({ redis: client, prefix })
  ends.push(async () => {
    await reader.close()
    client.disconnect()
  })
  await limits.set('free', { limit: 2 })
  // As a later version, or another service, may have it.
  await reader.limits.set('free', { count: 7 })
  await reader.limits.set('other', { limit: 7 })
  const problemOf = async () => {
    await ops.ready()
    const [process] = await reader.processes()
    return process?.limits?.find(({ name }) => name === 'free')
  }
  await until(async () => (await problemOf())?.problem !== null, { what: 'the problem' })
  expect(await problemOf()).toEqual({
    name: 'free',
    rule: '5 in 1 h',
    now: '2 in 1 h',
    data: { strategy: 'fixedWindow', limit: 5, window: '1h' },
    problem: expect.stringMatching(/^count: expected a known option; write .*, got "count" \(string\)$/),
  })
  expect(await limitOf('bob')).toBe(2)
  await limits.restore('free')
  expect(await problemOf()).toMatchObject({ now: null, problem: null })
})

it('what others have written there is left out', async () => {
  const { limits, client, hash, limitOf } = await service(newPrefix())
  await client.hset(hash, 'free', 'x', 'paid', '99999999999999 [', 'else', '99999999999999 {"options":3}')
  await limits.set('free', { limit: 2 })
  await client.hset(hash, 'free', '9e9 {}')
  expect(await limits.changed()).toEqual([])
  expect(await limitOf('bob')).toBe(2)
})

it('where Redis has lost its data, what was known goes on', async () => {
  const { ops, limits, client, hash, limitOf } = await service(newPrefix())
  await limits.set('free', { limit: 2 })
  await client.del(hash)
  await ops.ready()
  expect(await limitOf('bob')).toBe(2)
})

it('beyond a thousand limits it is an error, and the key has a life', async () => {
  const { limits, client, hash } = await service(newPrefix())
  const [seconds = '0'] = (await client.time()).map(String)
  const endMs = Number(seconds) * 1000 + 3_600_000
  const full = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, `${endMs} {}`]))
  await client.hset(hash, full)
  await expect(limits.set('free', { limit: 2 })).rejects.toMatchObject({ code: 'SLUICE_LIMITS_FULL' })
  await client.hdel(hash, 'k0')
  await limits.set('free', { limit: 2 }, { for: '1m' })
  expect(await client.pttl(hash)).toBeGreaterThan(3_600_000)
})

it.each([
  [
    'fre',
    { limit: 2 },
    {},
    'name.fre: expected the name of a policy (did you mean "free"?), got "fre" (string)',
  ],
  ['free', {}, {}, 'options: expected at least one option, got an object'],
  ['free', 50, {}, 'options: expected options such as { limit: 50 }, got 50 (number)'],
  ['free', { limit: -1 }, {}, 'limit: expected a whole number of at least 0, got -1 (number)'],
  ['free', { limt: 1 }, {}, 'limt: expected a known option (did you mean "limit"?), got "limt" (string)'],
  [
    'free',
    { blockFor: '1m' },
    {},
    'options.blockFor: expected to be left out, as it does not change, got "1m" (string)',
  ],
  [
    'free',
    { limit: 2 },
    { for: '367d' },
    expect.stringMatching(/^about\.for: expected .* from 1 ms to 366 days, got "367d" \(string\)$/),
  ],
  [
    'free',
    { limit: 2 },
    { fro: '1d' },
    'about.fro: expected a known option (did you mean "for"?), got "fro" (string)',
  ],
])('set(%j, %j, %j) is refused: %s', async (name, options, about, message) => {
  const { limits } = await service(newPrefix())
  await expect(limits.set(name as 'free', options as never, about as never)).rejects.toMatchObject({
    code: 'SLUICE_OPTION',
    message,
  })
  expect(await limits.changed()).toEqual([])
})

it('one name is one policy in a process', async () => {
  const { ops } = await service(newPrefix())
  expect(() => ops.limits({ free: gcra({ count: 1, period: '1s' }) })).toThrow(
    'policies.free: expected a name of its own, as another limit of this process has it, got a policy (gcra)',
  )
  expect(() => ops.limits({ paid: 5 as never })).toThrow(/^policies\.paid: expected a policy/)
})
