import { randomBytes } from 'node:crypto'
import { afterEach, expect, it } from '@jest/globals'
import { type Act, createLimiter, gcra } from '@sluice/core'
import { until } from '@sluice/faults/outage'
import { socket } from '@sluice/faults/redis-socket'
import { Redis } from 'ioredis'
import { operations } from '../src/index.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const newPrefix = () => `lists-${randomBytes(6).toString('hex')}:`

/** A process that counts in its own memory, and shares only the lists. */
async function service(prefix: string) {
  const client = new Redis({ path: socket })
  const ops = operations({ redis: client, prefix, deadline: '20s' })
  const warnings: string[] = []
  const logger = { warn: (text: string) => void warnings.push(text), error() {} }
  const limiter = createLimiter({ policy: gcra({ count: 5, period: '1h' }), lists: [ops.lists], logger })
  ends.push(async () => {
    await limiter.close()
    await ops.close()
    client.disconnect()
  })
  await limiter.ready()
  const reason = async (key: string) => (await limiter.peek(key)).reason
  return { ops, limiter, reason, client, warnings, hash: `${prefix}sl1:{ops}:lists` }
}

it('what one process lists is in force there at once and in every other soon, and so is its removal', async () => {
  const prefix = newPrefix()
  const [here, there] = [await service(prefix), await service(prefix)]
  const place = { list: 'deny', address: '203.0.113.0/24' } as const
  await here.ops.lists.put(place, '1d', { why: 'scraper', by: 'alice' })
  expect(await here.reason('203.0.113.9')).toBe('denied')
  await until(async () => (await there.reason('203.0.113.9')) === 'denied', { what: 'the entry' })
  expect(await there.ops.lists.entries()).toEqual([
    { ...place, why: 'scraper', by: 'alice', atMs: expect.any(Number), endsInMs: expect.any(Number) },
  ])
  expect(await there.ops.lists.remove(place)).toBe(true)
  expect(await there.reason('203.0.113.9')).toBeNull()
  await until(async () => (await here.reason('203.0.113.9')) === null, { what: 'its removal' })
  expect(await there.ops.lists.remove(place)).toBe(false)
})

it('an act is heard once by each observer of the limiters that it concerns', async () => {
  const prefix = newPrefix()
  const client = new Redis({ path: socket })
  const [ops, others] = [
    operations({ redis: client, prefix, deadline: '20s' }),
    operations({ redis: client, prefix, deadline: '20s' }),
  ]
  const heard: string[] = []
  const observer = (name: string) => ({
    acted: ({ act, key }: Act) => void heard.push(`${name}: ${act} ${key}`),
  })
  const all = observer('all')
  const settings = { policy: gcra({ count: 5, period: '1h' }), lists: [ops.lists] }
  const limiters = ['login', 'search'].map((name) =>
    createLimiter({ ...settings, name, observers: [ops, all, observer(name)] }),
  )
  ends.push(async () => {
    for (const limiter of limiters) await limiter.close()
    await others.close()
    await ops.close()
    client.disconnect()
  })
  await ops.ready()
  await ops.lists.put({ list: 'deny', key: 'here' }, '1h')
  await others.lists.put({ list: 'deny', key: 'bob' }, '1h')
  await others.lists.put({ list: 'block', key: 'carl' }, '1h')
  expect(await others.lists.remove({ list: 'deny', key: 'nobody' })).toBe(false)
  await others.lists.put({ list: 'deny', key: 'eve', limiter: 'search' }, '1h')
  await until(async () => heard.some((text) => text.includes('eve')), { what: 'the last act' })
  expect(heard.toSorted()).toEqual([
    'all: deny bob',
    'all: deny eve',
    'all: deny here',
    'all: refuse carl',
    'login: deny bob',
    'login: deny here',
    'login: refuse carl',
    'search: deny bob',
    'search: deny eve',
    'search: deny here',
    'search: refuse carl',
  ])
})

it('a process that begins knows the lists when it is ready', async () => {
  const prefix = newPrefix()
  const first = await service(prefix)
  await first.ops.lists.put({ list: 'block', key: ['org-7', 'alice'] }, '1h')
  const { limiter } = await service(prefix)
  const { reason, retryAfterMs } = await limiter.check(['org-7', 'alice'])
  expect(reason).toBe('blocked')
  expect(retryAfterMs).toBeGreaterThan(3_000_000)
})

it('an entry that is put again gets the new end', async () => {
  const { ops } = await service(newPrefix())
  for (const time of ['366d', '1h'] as const)
    await ops.lists.put({ list: 'deny', address: '::ffff:192.0.2.1' }, time)
  const entries = await ops.lists.entries()
  expect(entries).toHaveLength(1)
  expect(entries[0]?.address).toBe('192.0.2.1')
  expect(entries[0]?.endsInMs).toBeLessThanOrEqual(3_600_000)
})

it('where Redis has lost its data, what was known goes on', async () => {
  const { ops, client, hash, reason } = await service(newPrefix())
  await ops.lists.put({ list: 'deny', key: 'bob' }, '1h')
  await client.del(hash)
  await ops.lists.ready?.()
  expect(await reason('bob')).toBe('denied')
})

it('what others have written there is left out, and said once', async () => {
  const { ops, client, hash, reason, warnings } = await service(newPrefix())
  await client.hset(hash, 'nonsense', '1', '["deny","10.0.0.1/8",null,null]', '99999999999999 {}')
  await client.hset(hash, '["deny",null,{"a":1},null]', 'x', '["deny",null,"__proto__",null]', '9e99 {}')
  for (const key of ['bob', 'eve']) await ops.lists.put({ list: 'deny', key }, '1h')
  expect(await reason('bob')).toBe('denied')
  expect(await reason('__proto__')).toBeNull()
  expect(warnings.filter((text) => text.includes('SLUICE_LISTS_MALFORMED'))).toHaveLength(1)
})

it('entries that have ended are not shown, and are removed by the next change; others past 10,000 are refused', async () => {
  const { ops, client, hash } = await service(newPrefix())
  const [seconds = '0'] = (await client.time()).map(String)
  const fill = (end: number) =>
    client.hset(
      hash,
      Object.fromEntries(
        Array.from({ length: 10_000 }, (_, i) => [`["deny",null,"k${i}",null]`, `${end} {}`]),
      ),
    )
  await fill(Number(seconds) * 1000 + 3_600_000)
  await expect(ops.lists.put({ list: 'deny', key: 'bob' }, '1h')).rejects.toMatchObject({
    code: 'SLUICE_LISTS_FULL',
  })
  // One that is there already takes no further room.
  await ops.lists.put({ list: 'deny', key: 'k7' }, '2h')
  expect(await client.hlen(hash)).toBe(10_001)
  await fill(Number(seconds) * 1000 - 1)
  expect(await ops.lists.entries()).toEqual([])
  await ops.lists.put({ list: 'deny', key: 'bob' }, '1h')
  expect(await client.hlen(hash)).toBe(2)
})

it.each([
  [{ list: 'deny', address: '203.0.113.7/24' }, '1h', 'address'],
  [{ list: 'ban', key: 'bob' }, '1h', 'list'],
  [{ list: 'deny', key: 'bob' }, '367d', 'time'],
] as const)('%j for %s is refused', async (place, time, at) => {
  const { ops } = await service(newPrefix())
  await expect(ops.lists.put(place as never, time)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: at })
})
