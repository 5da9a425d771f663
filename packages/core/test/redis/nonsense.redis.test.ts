import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { concurrency, type Policy } from '../../src/index.ts'
import { stateName } from '../../src/key.ts'
import { fromIoredis } from '../../src/redis/connections.ts'
import { RedisStore } from '../../src/redis/store.ts'
import { isForbidden, isOneKeysFault } from '../../src/resilience/store-failures.ts'
import type { Check } from '../../src/store.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { checkOf, policies, question, realStore } from './real-store.ts'

const { store, client } = realStore()
afterAll(() => client.disconnect())

/** The type that a strategy stores, which a set never is. */
const typeOf: Readonly<Record<string, string>> = {
  slidingWindowLog: 'zset',
  concurrency: 'zset',
  attributedWindow: 'list',
  multiWindow: 'hash',
}

// biome-ignore format: a table
const contents: readonly (readonly [type: string, write: (name: string) => Promise<unknown>])[] = [
  // type     what somebody else has written
  ['string', (name) => client.set(name, 'nonsense')],
  ['string', (name) => client.set(name, '')],
  ['string', (name) => client.set(name, '17:x')],
  ['list',   (name) => client.rpush(name, 'nonsense')],
  ['hash',   (name) => client.hset(name, 'non', 'sense')],
  ['zset',   (name) => client.zadd(name, 1, 'nonsense')],
  ['set',    (name) => client.sadd(name, 'nonsense')],
  ['set',    (name) => client.sadd(name, 'until:', 'state:1:x')],
  ['stream', (name) => client.xadd(name, '*', 'non', 'sense')],
]

function foreign({ strategy }: Policy, type: string): boolean {
  // Any zset is a log of sorts: its members are not read.
  return type !== 'zset' || typeOf[strategy] !== 'zset'
}

describe('a key that holds what no strategy wrote', () => {
  it.each(policies)('is a failure of the store, never a block: $strategy', async (policy) => {
    for (const [type, write] of contents) {
      if (!foreign(policy, type)) continue
      const check = checkOf(policy)
      await write(stateName(check))
      const stored = await client.dumpBuffer(stateName(check))
      const outcome = await Promise.resolve(store.answer(question(check))).then(
        () => 'decided',
        () => 'failed',
      )
      expect({ type, outcome }).toEqual({ type, outcome: 'failed' })
      expect(await client.dumpBuffer(stateName(check))).toEqual(stored)
    }
  })

  it.each(contents)(
    'is no place in flight, and keeps no other from being renewed: a %s',
    async (type, write) => {
      const policy = concurrency({ limit: 1 })
      const [wrong, sound] = [checkOf(policy), checkOf(policy)]
      await write(stateName(wrong))
      const stored = await client.dumpBuffer(stateName(wrong))
      const outcomes = await store.renew([wrong, sound].map((check) => ({ check, receipt: 'somebody' })))
      // Any sorted set is one of leases: its members are not read.
      if (type === 'zset') return expect(outcomes).toEqual(['regained', 'regained'])
      expect(outcomes).toEqual(['lost', 'regained'])
      expect(await client.dumpBuffer(stateName(wrong))).toEqual(stored)
    },
  )
})

describe('a command that the user may not run', () => {
  let own: OwnServer
  let forbidden: RedisStore
  beforeAll(async () => {
    own = await startOwnServer()
    forbidden = new RedisStore({ connection: fromIoredis(own.admin), prefix: '', deadlineUs: 0 })
  })
  afterAll(() => own.end())
  afterEach(() => own.admin.call('ACL', 'SETUSER', 'default', '+@all'))

  const policy = concurrency({ limit: 1 })
  // biome-ignore format: a table
  it.each<[string, (check: Check) => Promise<unknown>]>([
    // what is asked          how
    ['one question',          async (check) => forbidden.answer(question(check))],
    ['a question of several', async (check) => forbidden.answer({ ...question(check), checks: [check, checkOf(policy)] })],
    ['to renew',              (check) => forbidden.renew([{ check, receipt: 'r' }])],
    ['to stand in line',      (check) => forbidden.line([{ check, id: 'r', priority: 0, waitedUs: 0, leaves: false }])],
    ['to be shown',           (check) => forbidden.manage({ op: 'inspect', check })],
  ])('fails the store, and is no key that holds something else: %s', async (_what, ask) => {
    await own.admin.call('ACL', 'SETUSER', 'default', '-zrevrange', '-zrangebyscore', '-zmscore', '-zcount')
    const error: unknown = await ask(checkOf(policy)).catch((reason: unknown) => reason)
    expect({ error, isForbidden: isForbidden(error), isOneKeysFault: isOneKeysFault(error) }).toEqual({
      error,
      isForbidden: true,
      isOneKeysFault: false,
    })
  })
})
