import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createLimiter, gcra, type Limiter, redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/express'
import { RedisProcess, until } from '@sluice/faults/outage'
import { type Operations, operations } from '@sluice/operations'
import { Redis } from 'ioredis'
import { folderWith, sluiceWith } from '../sluice.ts'

const folder = folderWith({})
const policy = gcra({ count: 5, period: '1h' })
let redis: RedisProcess
let client: Redis
let ops: Operations
/** `site` and `api` are asked by middlewares for the client's network, of 64 and of 56 bits; `users` by a key of its own. */
let limiters: readonly Limiter<{ readonly default: typeof policy }>[]

beforeAll(async () => {
  redis = await RedisProcess.prepare([])
  await redis.start()
  client = new Redis({ port: redis.port })
  ops = operations({ redis: client, deadline: '20s' })
  const store = redisStore(client, { refusalCache: 0, deadline: '20s', connectDeadline: '20s' })
  const settings = { policy, observers: [ops], logger: { warn() {}, error() {} }, store }
  const site = createLimiter({ ...settings, name: 'site', lists: [ops.lists] })
  const api = createLimiter({ ...settings, name: 'api' })
  const users = createLimiter({ ...settings, name: 'users' })
  rateLimit({ limiter: site })
  rateLimit({ limiter: api, ipv6Prefix: 56 })
  rateLimit({ limiter: users, key: () => 'bob' })
  limiters = [site, api, users]
  await ops.ready()
})
afterAll(async () => {
  await Promise.all(limiters.map((limiter) => limiter.close()))
  await ops.close()
  client.disconnect()
  await redis.end()
})

const sluice = (...args: readonly string[]) =>
  sluiceWith({ REDIS_URL: `redis://127.0.0.1:${redis.port}`, USER: 'alice' }, folder, ...args)

it('a network is not blocked where keys are addresses of clients: it says what refuses a network', async () => {
  const before = await sluice('acts', '--json')
  const { code, stdout } = await sluice(
    'block',
    '203.0.113.0/24',
    '1h',
    '--limiter',
    'site',
    '--why',
    'a flood',
  )
  expect(code).toBe(1)
  expect(stdout).toBe(`No request has the key 203.0.113.0/24 in site: keys there are addresses of clients.
This refuses the whole network: sluice deny 203.0.113.0/24 1h --limiter site --why 'a flood'
Nothing was done.
`)
  const dry = await sluice('block', '203.0.113.0/24', '1h', '--limiter', 'site', '--dry-run', '--json')
  expect(dry.code).toBe(1)
  expect(JSON.parse(dry.stdout)).toMatchObject({ limiters: [], done: false, why: expect.any(String) })
  expect(await sluice('acts', '--json')).toEqual(before)
})

it.each([
  ['203.0.113.9:443', 'This refuses that client: sluice block 203.0.113.9 1h --limiter site\n'],
  ['2001:db8::9.443', ''],
  ['203.0.113.9/33', ''],
  ['0.0.0.0/0', 'This refuses the whole network: sluice deny 0.0.0.0/0 1h --limiter site\n'],
])('%s is no key of a client, and only a command that works is named', async (key, line) => {
  const { code, stdout } = await sluice('block', key, '1h', '--limiter', 'site')
  expect(code).toBe(1)
  expect(stdout).toBe(
    `No request has the key ${key} in site: keys there are addresses of clients.\n${line}Nothing was done.\n`,
  )
})

it('what no limiter knows is blocked with a warning, and only where it can be a key', async () => {
  const blocked = await sluice('block', '203.0.113.0/24', '1h')
  expect(blocked.code).toBe(0)
  expect(blocked.stdout).toMatch(/^Blocked 203\.0\.113\.0\/24 in users until /)
  expect(blocked.stderr).toMatch(/^not included: site, api: keys there are addresses of clients$/m)
  expect(blocked.stderr).toMatch(/^warning: nothing is counted for the key 203\.0\.113\.0\/24 at present/m)
  const mistyped = await sluice('reset', 'aliec', '--limiter', 'users', '--yes')
  expect(mistyped.stderr).toMatch(
    /^warning: nothing is counted for the key aliec at present\. Is it spelled as in /m,
  )
  const everywhere = await sluice('reset', 'aliec', '--yes')
  expect(everywhere.stdout).toBe('Reset aliec in site, api, users.\n')
  expect(everywhere.stderr).not.toMatch('not included')
  await limiters[2]?.check('alice')
  expect((await sluice('block', 'alice', '1h', '--limiter', 'users')).stderr).toBe('')
})

it('a key that a process has refused lately is blocked without a warning, although its count has run out', async () => {
  const users = limiters[2]
  for (const cost of [5, 1]) await users?.check('dora', { cost })
  const shows = async () => (await sluice('top', '--once')).stdout.includes('dora')
  await until(shows, { what: 'dora among the refused' })
  await users?.reset('dora')
  const { code, stderr } = await sluice('block', 'dora', '1h', '--limiter', 'users')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it('an address is blocked in each limiter by the network that it has there', async () => {
  const blocked = await sluice('block', '2001:db8:1:203::7', '1h')
  expect(blocked.stdout).toMatch(
    /^Blocked 2001:db8:1:203::\/64, 2001:db8:1:200::\/56 in site, api, users until /,
  )
  expect(blocked.stdout).toMatch(/^Undo: sluice unblock 2001:db8:1:203::7$/m)
  expect((await limiters[0]?.peek('2001:db8:1:203::/64'))?.reason).toBe('blocked')
  expect((await limiters[1]?.peek('2001:db8:1:200::/56'))?.reason).toBe('blocked')
  const seen = await sluice('inspect', '2001:db8:1:203::7')
  expect(seen.stdout).toMatch(/^api +0 +5 +blocked, again in /m)
  expect(await sluice('unblock', '2001:db8:1:203::7')).toMatchObject({ code: 0 })
  await until(async () => (await limiters[1]?.peek('2001:db8:1:200::/56'))?.allowed === true, {
    what: 'the end of the block',
  })
})

it('a list says which running limiters do not go by it', async () => {
  const denied = await sluice('deny', '203.0.113.0/24', '1h')
  expect(denied.code).toBe(0)
  expect(denied.stderr).toMatch(/^warning: the lists are not obeyed by api, users: /)
  expect((await sluice('deny', '203.0.113.0/24', '1h', '--limiter', 'site')).stderr).toBe('')
  expect((await sluice('refuse', 'bob', '1h', '--limiter', 'usres')).stderr).toMatch(
    /^warning: no running process has a limiter "usres"$/m,
  )
})
