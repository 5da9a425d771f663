import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { fill } from '@sluice/faults'
import { Redis } from 'ioredis'
import { type BlockForOptions, createLimiter, fixedWindow, gcra, redisStore } from '../../src/index.ts'
import { loadLua, luaTexts } from '../../src/redis/lua.ts'
import { joinScript } from '../../src/redis/lua-text.ts'
import { type OwnServer, startOwnServer } from './own-server.ts'

let own: OwnServer
beforeAll(async () => {
  own = await startOwnServer()
})
afterAll(() => own.end())

const growing = { first: '1m', factor: 2, banAfter: 1, banFor: '1h', forgetAfter: '10m' } as const

async function world(blockFor: BlockForOptions | '10m', refusalCache: '10s' | 0 = 0) {
  await own.admin.flushall()
  const client = new Redis({ port: own.server.port })
  const store = redisStore(client, { refusalCache, deadline: '10s' })
  const policy = fixedWindow({ limit: 2, window: '1m', blockFor })
  const limiter = createLimiter({ name: 'login', policy, store })
  await limiter.ready()
  const end = async () => {
    await store.close()
    client.disconnect()
  }
  return { limiter, store, end }
}

const state = 'sl3:{bob}:login:fw'
const count = `${state}:%b`

describe('a block by a policy in Redis', () => {
  it('has one key, and where blocks are counted a second one, which both live as long as they matter', async () => {
    const plain = await world('10m')
    for (let i = 0; i < 3; i++) await plain.limiter.check('bob')
    expect(await own.admin.keys('*')).toEqual([state])
    expect(await own.admin.pttl(state)).toBeGreaterThan(590_000)
    await plain.end()

    const { limiter, end } = await world(growing)
    for (let i = 0; i < 3; i++) await limiter.check('bob')
    expect((await own.admin.keys('*')).sort()).toEqual([state, count])
    expect(await own.admin.pttl(state)).toBeGreaterThan(59_000)
    expect(await own.admin.pttl(count)).toBeGreaterThan(659_000)
    expect(await own.admin.get(count)).toMatch(/^1:\d{16}$/)
    await limiter.reset('bob')
    expect(await own.admin.keys('*')).toEqual([])
    for (let i = 0; i < 3; i++) await limiter.check('bob')
    await limiter.unblock('bob')
    expect(await own.admin.exists(count)).toBe(0)
    await end()
  })

  it('is one of all that ask in one call, under several policies too', async () => {
    const { limiter, store, end } = await world(growing)
    const decisions = await Promise.all(Array.from({ length: 50 }, () => limiter.check('bob')))
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(2)
    expect(decisions.filter(({ reason }) => reason === 'blocked')).toHaveLength(48)
    expect(await limiter.inspect('bob')).toMatchObject({ default: { blocks: 1, banned: false } })

    const policies = {
      // Both have arguments of a call\'s own, and share it with one that has none.
      tight: fixedWindow({ limit: 3, window: '1m', blockFor: growing }),
      rate: gcra({ count: 100, period: '1d', blockFor: growing }),
      wide: gcra({ count: 1000, period: '1d' }),
    }
    const several = createLimiter({ name: 'several', policies, store })
    const asked = await Promise.all(
      Array.from({ length: 60 }, (_, i) => several.check(['alice', 'carol', 'dave'][i % 3] ?? '')),
    )
    expect(asked.filter(({ allowed }) => allowed)).toHaveLength(9)
    expect(new Set(asked.map(({ reason }) => reason))).toEqual(new Set([null, 'blocked']))
    for (const key of ['alice', 'carol', 'dave'])
      expect(await several.inspect(key)).toMatchObject({
        tight: { blocks: 1 },
        rate: { blocks: 0, remaining: 97 },
        wide: { remaining: 997 },
      })
    await end()
  })

  it('is repeated by this process, unless requests prolong it; a look keeps no check from blocking', async () => {
    const calls = async () => {
      const stats = await own.admin.info('commandstats')
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
    }
    for (const prolong of [false, true]) {
      const { limiter, end } = await world({ first: '10m', prolong }, '10s')
      for (let i = 0; i < 2; i++) await limiter.check('bob')
      expect((await limiter.peek('bob')).reason).toBe('limited')
      expect((await limiter.check('bob')).reason).toBe('blocked')
      const before = await calls()
      for (let i = 0; i < 5; i++) expect((await limiter.check('bob')).reason).toBe('blocked')
      expect((await calls()) - before).toBe(prolong ? 5 : 0)
      await end()
    }
  })

  it('is made on a server that is full', async () => {
    const { limiter, end } = await world(growing)
    for (let i = 0; i < 2; i++) await limiter.check('bob')
    const cure = await fill(own.server)
    expect(await limiter.check('bob')).toMatchObject({ reason: 'blocked', source: 'redis' })
    await cure()
    expect(await limiter.inspect('bob')).toMatchObject({ default: { blocks: 1 } })
    await end()
  })
})

describe('the scripts of policies that do not block', () => {
  it.each(['decide', 'decideOne'] as const)('%s is without what blocks', async (name) => {
    await loadLua()
    const fragments = [{ code: 'fw', lua: luaTexts().strategies.fixedWindow ?? '' }]
    expect(joinScript(name, fragments)).not.toMatch(/--@|DUMP|flush|left_us|string\.gmatch\(ARGV\[at/)
    expect(joinScript(name, fragments, {}, ['blocks'])).toContain('write_block')
  })
})
