import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createLimiter, fixedWindow, gcra, type Limiter, redisStore } from '@sluice/core'
import { RedisProcess, until } from '@sluice/faults/outage'
import { type Operations, operations } from '@sluice/operations'
import { Redis } from 'ioredis'
import { folderWith, sluiceWith } from '../sluice.ts'

const folder = folderWith({})
const policy = gcra({ count: 5, period: '1h' })
const quiet = { warn() {}, error() {} }
let redis: RedisProcess
let client: Redis
let ops: Operations
/** `login` and `tried` obey the lists; `tried` is in shadow mode, and `apart` has no lists. */
let limiters: { readonly [name: string]: Limiter<{ readonly default: typeof policy }> }

beforeAll(async () => {
  redis = await RedisProcess.prepare([])
  await redis.start()
  client = new Redis({ port: redis.port })
  ops = operations({ redis: client, deadline: '20s' })
  const settings = {
    policy,
    observers: [ops],
    logger: quiet,
    store: redisStore(client, { refusalCache: 0, deadline: '20s', connectDeadline: '20s' }),
  }
  const lists = [ops.lists]
  limiters = {
    login: createLimiter({ ...settings, name: 'login', lists }),
    tried: createLimiter({ ...settings, name: 'tried', lists, shadow: true }),
    apart: createLimiter({ ...settings, name: 'apart' }),
  }
  await ops.ready()
})
afterAll(async () => {
  await Promise.all(Object.values(limiters).map((limiter) => limiter.close()))
  await ops.close()
  client.disconnect()
  await redis.end()
})

const sluice = (...args: readonly string[]) =>
  sluiceWith({ REDIS_URL: `redis://127.0.0.1:${redis.port}`, USER: 'alice' }, folder, ...args)

/** What inspect says of a key, by limiter. */
async function inspected(key: string): Promise<Readonly<Record<string, object>>> {
  const { limiters: seen, lists } = JSON.parse((await sluice('inspect', key, '--json')).stdout)
  const policies = seen.map(({ limiter, policies }: { limiter: string; policies: { default: object } }) => [
    limiter,
    policies.default,
  ])
  return { lists, ...Object.fromEntries(policies) }
}

const peek = async (name: string, key: string) => limiters[name]?.peek(key)

it('inspect says what a check answers of a key that a list refuses, and how it is taken off', async () => {
  await sluice('deny', '203.0.113.0/24', '1h', '--why', 'scraper')
  await sluice('refuse', 'bob', '10m', '--limiter', 'login')
  await until(async () => (await peek('login', 'bob'))?.allowed === false, { what: 'the lists' })
  for (const key of ['203.0.113.9', 'bob']) {
    const seen = await inspected(key)
    for (const name of ['login', 'tried', 'apart']) {
      const said = (await peek(name, key)) ?? {}
      const { allowed, reason } = said as { allowed?: boolean; reason?: string | null }
      expect({ name, ...seen[name] }).toMatchObject({ name, allowed, reason })
    }
  }
  expect(await inspected('203.0.113.9')).toMatchObject({
    login: { allowed: false, reason: 'denied', retryAfterMs: null, listed: { list: 'deny' } },
    lists: [{ list: 'deny', address: '203.0.113.0/24', why: 'scraper', by: 'alice' }],
  })
  const { stdout } = await sluice('inspect', '203.0.113.9')
  expect(stdout).toMatch(/^login +0 +5 +denied by a list, for (?:1 h|59 min)/m)
  expect(stdout).toMatch(/^apart +0 +5 +allowed$/m)
  expect(stdout).toMatch(/^On a list: deny 203\.0\.113\.0\/24 in all limiters, for .*, by alice: scraper$/m)
  expect(stdout).toMatch(/^To remove it: sluice unlist 203\.0\.113\.0\/24$/m)
  expect((await sluice('inspect', 'bob')).stdout).toMatch(
    /^login .* refused by a list, for [\s\S]*To remove it: sluice unlist bob --limiter login$/m,
  )
})

it('an address of IPv6 is looked up as itself, and not only as its network', async () => {
  await sluice('deny', '2001:db8::7', '1h')
  await sluice('allow', '192.0.2.7', '1h')
  expect(await inspected('2001:db8::7')).toMatchObject({ login: { allowed: false, reason: 'denied' } })
  expect(await inspected('2001:db8::8')).toMatchObject({ login: { allowed: true }, lists: [] })
  expect(await inspected('192.0.2.7')).toMatchObject({ login: { allowed: true, listed: { list: 'allow' } } })
})

it('unblock and reset of a key on a list say that it stays there', async () => {
  await sluice('deny', 'carol', '1h', '--why', 'a mistake')
  const unblocked = await sluice('unblock', 'carol')
  expect(unblocked.code).toBe(1)
  expect(unblocked.stdout).toMatch(/^carol is not blocked: nothing was done\.\nOn a list: deny carol in all/)
  expect(unblocked.stdout).toContain('To remove it: sluice unlist carol\n')
  const reset = await sluice('reset', 'carol', '--yes')
  expect(reset.code).toBe(0)
  expect(reset.stdout).toContain('To remove it: sluice unlist carol\n')
  const { lists } = JSON.parse((await sluice('unblock', 'carol', '--json')).stdout)
  expect(lists).toMatchObject([{ list: 'deny', key: 'carol', why: 'a mistake' }])
})

it('the command that undoes an entry takes off that entry, and no other', async () => {
  for (const args of [
    ['refuse', 'mary ann', '10m', '--limiter', 'login'],
    ['allow', '192.0.2.9', '1h', '--key', '--limiter', 'login'],
    ['deny', '["org-7","it\'s"]', '1h'],
  ]) {
    const { stdout } = await sluice(...args)
    const [, command = ''] = /^Undo: sluice (.*)$/m.exec(stdout) ?? []
    const words = [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll(`'\\''`, "'") ?? plain ?? '',
    )
    expect({ command, ...(await sluice(...words)) }).toMatchObject({ command, code: 0 })
  }
})

it('a policy in shadow mode refuses nobody, and inspect says what it would have done', async () => {
  for (let i = 0; i < 6; i++) await limiters.tried?.check('dave')
  expect(await inspected('dave')).toMatchObject({
    tried: { allowed: true, reason: null, retryAfterMs: null, shadow: { allowed: false, reason: 'limited' } },
  })
  expect((await sluice('inspect', 'dave')).stdout).toMatch(
    /^tried +5 +5 +allowed, in shadow mode; else refused, again in /m,
  )
})

it('a key that its policy has banned is said to be banned', async () => {
  const store = redisStore(client, { refusalCache: 0, deadline: '20s', connectDeadline: '20s' })
  const policy = fixedWindow({
    limit: 1,
    window: '100ms',
    blockFor: { first: '1ms', banAfter: 1, banFor: '2h' },
  })
  const strict = createLimiter({ name: 'strict', policy, store, observers: [ops], logger: quiet })
  // The second refusal, once the first block is over.
  const isBanned = async () => {
    const answers = [await strict.check('mallory'), await strict.check('mallory')]
    return answers.some(({ reason }) => reason === 'banned')
  }
  await until(isBanned, { what: 'the ban' })
  await ops.ready()
  expect((await sluice('inspect', 'mallory', '--limiter', 'strict')).stdout).toMatch(
    /^strict .* banned, again in (?:2 h|1 h 59 min)$/m,
  )
  await strict.close()
})
