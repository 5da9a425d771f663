import { randomBytes } from 'node:crypto'
import { afterEach, expect, it, jest } from '@jest/globals'
import { type Act, createLimiter, gcra, redisStore } from '@sluice/core'
import { until } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { operations, readOperations } from '../src/index.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const logger = { warn() {}, error() {} }
const newPrefix = () => `ops-${randomBytes(6).toString('hex')}:`

/** A process: its limiter `login`, its operations and another observer. */
async function service(prefix: string) {
  const client = new Redis({ path: socket })
  const ops = operations({ redis: client, prefix, deadline: '20s' })
  const acts: Act[] = []
  const observers = [ops, { acted: (act: Act) => void acts.push(act) }]
  const store = redisStore(client, { prefix, deadline: '20s', connectDeadline: '20s', refusalCache: '1m' })
  const policy = gcra({ count: 5, period: '1h' })
  const limiter = createLimiter({ name: 'login', policy, store, observers, logger })
  ends.push(async () => {
    await limiter.close()
    await ops.close()
    await store.close()
    client.disconnect()
  })
  await ops.ready()
  return { limiter, ops, acts, client }
}

it('what is done in one process reaches the observers of every other, and not its own a second time', async () => {
  const prefix = newPrefix()
  const [here, there] = [await service(prefix), await service(prefix)]
  await here.limiter.block('203.0.113.9', '1h', { why: 'scraper', by: 'alice' })
  const told = {
    act: 'block',
    limiter: 'login',
    policies: ['default'],
    key: '203.0.113.9',
    atMs: expect.any(Number),
    forMs: 3_600_000,
    why: 'scraper',
    by: 'alice',
  }
  await until(async () => there.acts.length > 0, { what: 'the block' })
  await here.limiter.unblock('203.0.113.9')
  await until(async () => there.acts.length > 1, { what: 'the end of the block' })
  expect(there.acts).toEqual([told, expect.objectContaining({ act: 'unblock' })])
  expect(here.acts.map(({ act }) => act)).toEqual(['block', 'unblock'])
})

it('the log has an act once, however many processes hear of it', async () => {
  const prefix = newPrefix()
  const [here, there] = [await service(prefix), await service(prefix)]
  await here.limiter.reset('bob')
  await until(async () => there.acts.length > 0, { what: 'the reset' })
  // By then it has said all that it has to say.
  await there.ops.ready()
  expect(await there.client.xlen(`${prefix}sl1:{ops}:acts`)).toBe(1)
})

it('the log has an act once that was sent again, as its reply was late', async () => {
  const prefix = newPrefix()
  const { client } = await service(prefix)
  const reader = readOperations({ redis: client, prefix })
  ends.push(() => reader.close())
  const act = { act: 'block', limiter: 'login', policies: ['default'], key: 'bob', atMs: 1 } as const
  const later = { ...act, atMs: 2 }
  for (const each of [act, later, act]) await reader.add(each)
  expect((await reader.acts(10)).map(({ atMs }) => atMs)).toEqual([2, 1])
})

it('a key of several parts, a number and the units of a count reach every other process', async () => {
  const prefix = newPrefix()
  const [here, there] = [await service(prefix), await service(prefix)]
  await here.limiter.set(['org', 7], 3)
  await here.limiter.reset(42)
  await until(async () => there.acts.length > 1, { what: 'both acts' })
  expect(there.acts).toMatchObject([
    { act: 'set', key: ['org', '7'], units: 3 },
    { act: 'reset', key: '42' },
  ])
})

it('what another process resets is asked for again at once, however long refusals are repeated here', async () => {
  const prefix = newPrefix()
  const [here, there] = [await service(prefix), await service(prefix)]
  for (let i = 0; i < 6; i++) await here.limiter.check('dave')
  await there.limiter.reset('dave')
  await until(async () => (await here.limiter.check('dave')).allowed, { what: 'word of the reset' })
})

it('what another process unblocks or resets is free here too, though a lost connection made this one hold to what it knew', async () => {
  const prefix = newPrefix()
  const [here, there] = [await service(prefix), await service(prefix)]
  for (let i = 0; i < 6; i++) await here.limiter.check('carol')
  await here.limiter.block('bob', '1h')
  expect(await here.limiter.check('bob')).toMatchObject({ allowed: false })
  here.client.disconnect()
  await until(async () => here.client.status === 'end', { what: 'the end of the connection' })
  await here.client.connect()
  const held = { allowed: false, source: 'fallback' }
  for (const key of ['bob', 'carol']) expect(await here.limiter.peek(key)).toMatchObject(held)
  await there.limiter.unblock('bob')
  await there.limiter.reset('carol')
  for (const key of ['bob', 'carol'])
    await until(async () => (await here.limiter.peek(key)).allowed, { what: `word of ${key}` })
})

it('a process is seen from its start on, before the first second is over', async () => {
  const prefix = newPrefix()
  const never = setInterval(() => {}, 2 ** 30)
  const timers = jest.spyOn(globalThis, 'setInterval').mockReturnValue(never)
  ends.push(
    () => clearInterval(never),
    () => timers.mockRestore(),
  )
  const redis = new Redis({ path: socket })
  const ops = operations({ redis, prefix, deadline: '20s' })
  timers.mockRestore()
  const reader = readOperations({ redis, prefix })
  const policy = gcra({ count: 5, period: '1h' })
  const limiters = ['login', 'search'].map((name) => createLimiter({ name, policy, observers: [ops] }))
  ends.push(async () => {
    for (const each of [...limiters, ops, reader]) await each.close()
    redis.disconnect()
  })
  await until(async () => (await reader.processes()).length === 1, { what: 'the process' })
  const [seen] = await reader.processes()
  expect(seen?.limiters.map(({ name }) => name)).toEqual(['login', 'search'])
})

it('every key of operations ends by itself', async () => {
  const prefix = newPrefix()
  const { limiter, ops, client } = await service(prefix)
  await limiter.reset('bob')
  await ops.ready()
  const keys = await client.keys(`${prefix}sl1:{ops}:*`)
  expect(keys).toHaveLength(4)
  for (const key of keys) expect(await client.pttl(key)).toBeGreaterThan(0)
})

it('a process that is long gone is forgotten by the next word of any other', async () => {
  const prefix = newPrefix()
  const { ops, client } = await service(prefix)
  const services = `${prefix}sl1:{ops}:services`
  await client.zadd(services, 1, 'long gone')
  await ops.ready()
  expect(await client.zscore(services, 'long gone')).toBeNull()
  expect(await client.zcard(services)).toBe(1)
})

it('what another program has written is no process, or has no counts', async () => {
  const prefix = newPrefix()
  const { client } = await service(prefix)
  const reader = readOperations({ redis: client, prefix })
  ends.push(() => reader.close())
  const [known] = await reader.processes()
  const { service: name, pid, startedMs } = known ?? {}
  const written = {
    none: [{ service: name, pid, startedMs, limiters: [null], cut: 0 }, known?.seen],
    uncounted: [
      { service: name, pid, startedMs, limiters: [], cut: 0 },
      { ...known?.seen, away: [1] },
    ],
  }
  for (const [id, [description, seen]] of Object.entries(written)) {
    await client.zadd(`${prefix}sl1:{ops}:services`, Date.now(), id)
    await client.set(`${prefix}sl1:{ops}:service:${id}`, JSON.stringify(description))
    await client.set(`${prefix}sl1:{ops}:seen:${id}`, JSON.stringify(seen))
  }
  const read = await reader.processes()
  expect(read.map(({ id, seen }) => [id, seen])).toEqual(
    expect.arrayContaining([
      [known?.id, expect.anything()],
      ['uncounted', null],
    ]),
  )
  expect(read).toHaveLength(2)
})
