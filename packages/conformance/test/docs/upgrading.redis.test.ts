import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals'
import { everyStrategy } from '@sluice/conformance/every-strategy'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Key,
  type Limiter,
  type Policy,
  redisStore,
  type Store,
  uniform,
} from '@sluice/core'
import { inRedis } from '@sluice/core/internal'
import { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis6'
import { addUser, credentials, linesHere } from './acl.ts'
import { blocksOf, page, sectionOf } from './pages.ts'

const upgrading = page('docs/upgrading.md')
const network = '2001:db8::/64'
const hourly = fixedWindow({ limit: 5, window: '1h' })
const logger = { warn() {}, error() {} }

let server: RedisProcess
let client: Redis
let old: Store
let current: Store
let name: string
beforeAll(async () => {
  server = await RedisProcess.prepare()
  await server.start()
  client = new Redis(server.url)
  const connection = inRedis.readClient(client).connect()
  old = new inRedis.RedisStore({ connection: spelledAsBefore(connection), prefix: '', deadlineUs: 0 })
  current = new inRedis.RedisStore({ connection, prefix: '', deadlineUs: 0 })
})
beforeEach(() => {
  name = randomBytes(6).toString('hex')
})
afterAll(() => {
  client.disconnect()
  return server.end()
})

/** Version 0.1 sends the same scripts, with keys spelled in its way. */
function spelledAsBefore(connection: inRedis.Connection): inRedis.Connection {
  return {
    run: (script, keys, args) => connection.run(script, keys.map(oldNameOf), args),
    send: (command, args, key) => connection.send(command, args, key),
    close: () => connection.close(),
  }
}

/** It left out no `default`: here every limiter has a name, and one policy without one. */
function oldNameOf(current: string): string {
  return current.replace(/^sl3:\{(.*?)\}(%r)?:([^:]+):/, (_, key: string, reset = '', limiter: string) => {
    const spelled = key.replaceAll(':', '%3a').replaceAll(',', ':').replaceAll('%2c', ',')
    return `sl1:{${spelled}}${reset}:${limiter}:default:`
  })
}

/** The same limiter in a process of each version. */
function both<P extends Policy>(policy: P): { was: Limiter<{ default: P }>; is: Limiter<{ default: P }> } {
  return {
    was: createLimiter({ name, store: old, policy, logger }),
    is: createLimiter({ name, store: current, policy, logger }),
  }
}

async function admitted(limiters: readonly Pick<Limiter<{ default: Policy }>, 'check'>[]): Promise<number> {
  let count = 0
  for (let i = 0; i < 10; i++)
    for (const limiter of limiters) if ((await limiter.check('bob')).allowed) count++
  return count
}

test('the names that the page shows are those that each version writes', async () => {
  const rows = [
    ...sectionOf(upgrading, 'What 0.2 has changed').matchAll(/^\| `(.+)` \| `(.+)` \| `(.+)` \|$/gm),
  ]
  expect(rows.length).toBeGreaterThan(3)
  name = 'api'
  const { was, is } = both(hourly)
  for (const [, key = '', before = '', now = ''] of rows) {
    await client.flushall()
    const given: Key = JSON.parse(key.replaceAll("'", '"'))
    await was.check(given)
    await is.check(given)
    expect((await client.keys('*')).sort()).toEqual([before, now])
  }
})

describe('while both versions run', () => {
  it.each(Object.entries(everyStrategy(3, '1h')))(
    'a key may use its whole limit in each, and no more: %s',
    async (_strategy, policy) => {
      const { was, is } = both(policy)
      const limit = await admitted([createLimiter({ name: `${name} alone`, store: current, policy, logger })])
      expect(await admitted([was, is])).toBe(2 * limit)
    },
  )

  it('the old counts stay as they are, whatever new processes do', async () => {
    const { was, is } = both(hourly)
    const keys: readonly Key[] = [network, 'user:42', 'bob', ['org-7', 'alice'], 'a,b', ['', network]]
    for (const key of keys) await was.check(key, { cost: 4 })
    const names = await client.keys(`sl1:*:${name}:*`)
    expect(names).toHaveLength(keys.length)
    const stored = () => Promise.all(names.map((each) => client.dumpBuffer(each)))
    const before = await stored()
    for (const key of keys) {
      expect(await is.check(key)).toMatchObject({ allowed: true, remaining: 4 })
      await is.penalize(key, 2)
      await is.block(key, '1m')
      await is.inspect(key)
      await is.unblock(key)
      await is.reset(key)
      expect(await is.peek(key)).toMatchObject({ remaining: 5 })
      expect(await was.peek(key)).toMatchObject({ remaining: 1 })
    }
    expect(await stored()).toEqual(before)
  })

  it('the old counts expire by themselves', async () => {
    const { was, is } = both(fixedWindow({ limit: 5, window: '200ms' }))
    await was.check(network)
    const [left = ''] = await client.keys(`sl1:*:${name}:*`)
    expect(await client.pttl(left)).toBeGreaterThan(0)
    while ((await client.exists(left)) === 1) await is.check(network)
    expect(await client.pttl(left)).toBe(-2)
  })

  it('a block is seen by the version that has set it', async () => {
    const { was, is } = both(hourly)
    await was.block(network, '1h')
    expect(await is.check(network)).toMatchObject({ allowed: true })
    expect((await is.inspect(network)).default).toMatchObject({ blockedMs: null })
    await is.unblock(network)
    await is.reset(network)
    expect(await was.check(network)).toMatchObject({ reason: 'blocked' })
    await is.block(network, '1h')
    await was.unblock(network)
    expect(await was.check(network)).toMatchObject({ allowed: true })
    expect(await is.check(network)).toMatchObject({ reason: 'blocked' })
  })

  it('turns are spaced in each version apart', async () => {
    const { was, is } = both(uniform({ interval: '1m' }))
    for (const limiter of [was, is]) {
      expect(await limiter.reserve(network, { maxWait: '1h' })).toMatchObject({ allowed: true, waitMs: 0 })
      const next = await limiter.reserve(network, { maxWait: '1h' })
      expect(next.waitMs).toBeGreaterThan(50_000)
      expect(next.waitMs).toBeLessThanOrEqual(60_000)
    }
  })

  it('a lease and a charge are given back where they were taken', async () => {
    const { was, is } = both(concurrency({ limit: 1 }))
    const [one, other] = [await was.check(network), await is.check(network)]
    await one.release()
    expect([await was.peek(network), await is.peek(network)]).toMatchObject([
      { remaining: 1 },
      { remaining: 0 },
    ])
    await other.release()
    name += ' counted'
    const counts = both(hourly)
    const charged = await counts.was.check(network)
    await counts.is.check(network)
    await charged.refund()
    const left = [await counts.was.peek(network), await counts.is.peek(network)]
    expect(left).toMatchObject([{ remaining: 5 }, { remaining: 4 }])
  })
})

describe('the lines that the page shows', () => {
  const lines = blocksOf(upgrading)
    .flatMap(({ code }) => code.split('\n'))
    .map((line) => line.trim())

  it('find what they are said to find', async () => {
    await client.flushall()
    name = 'api'
    const { was, is } = both(hourly)
    for (const limiter of [was, is]) for (const key of ['bob', network]) await limiter.check(key)
    await was.block(['org-7', 'alice'], '1h')
    const answers: unknown[] = []
    for (const line of lines.filter((each) => each.startsWith('redis-cli '))) {
      const [first = '', ...words] = [...line.matchAll(/'([^']*)'|(\S+)/g)]
        .slice(1)
        .map((word) => word[1] ?? word[2] ?? '')
      // The program's own loop of SCAN.
      answers.push(await (first === '--scan' ? client.keys(words[1] ?? '') : client.call(first, ...words)))
    }
    const [bobs, oldOnes, newOnes, lifeMs, blocked] = answers
    expect((bobs as string[]).sort()).toEqual(['sl1:{bob}:api:default:fw', 'sl3:{bob}:api:fw'])
    expect(oldOnes).toEqual(['sl1:{2001%3adb8%3a%3a/64}:api:default:fw'])
    expect(newOnes).toEqual(['sl3:{2001:db8::/64}:api:fw'])
    expect(lifeMs).toBeGreaterThan(3_500_000)
    expect(blocked).toEqual([expect.any(String), ['sl1:{org-7:alice}:api:default:fw']])
  })

  it('permit a user the new names, which are refused without them', async () => {
    const [permit = [], end = []] = lines
      .filter((line) => line.startsWith('ACL SETUSER'))
      .map((line) => line.split(' ').slice(1))
    const before = linesHere.map((words) => words.map((word) => (word === '~sl3:*' ? '~sl1:*' : word)))
    await addUser(client, before)
    const url = server.url.replace('redis://', `redis://${credentials.username}:${credentials.password}@`)
    const store = redisStore(url, { deadline: '5s' })
    const limiter = createLimiter({ name, store, policy: hourly, logger })
    expect(await limiter.check('bob')).toMatchObject({ source: 'fallback' })
    await addUser(client, [permit])
    expect(await limiter.check('bob')).toMatchObject({ source: 'redis' })
    await addUser(client, [end])
    expect(await limiter.check('bob')).toMatchObject({ source: 'redis' })
    const asUser = new Redis(url)
    await expect(asUser.get('sl1:{bob}:api:default:fw')).rejects.toThrow('NOPERM')
    asUser.disconnect()
    await limiter.close()
    await store.close()
  })
})
