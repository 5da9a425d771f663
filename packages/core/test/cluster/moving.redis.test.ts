import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { clusterClientNames, connectToCluster, type Move, RedisCluster } from '@sluice/faults'
import { createLimiter, type Decision, fixedWindow, redisStore, slidingWindowLog } from '../../src/index.ts'
import { slotOf } from '../../src/redis/slot.ts'
import { type Application, applicationOn, atOnce, patient } from './application.ts'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

let application: Application
afterEach(() => application.end())

const limit = 30
/** Two policies of one key lie in one slot: while that moves, one call may not ask both. */
const policies = {
  window: fixedWindow({ limit, window: '1h' }),
  log: slidingWindowLog({ limit, window: '1h' }),
}

/** How often the servers have answered with an error of a kind. */
async function errors(kind: string): Promise<number> {
  const stats = await Promise.all(cluster.masters.map(({ client }) => client.info('errorstats')))
  return stats.reduce(
    (sum, text) => sum + Number(new RegExp(`errorstat_${kind}:count=(\\d+)`).exec(text)?.[1] ?? 0),
    0,
  )
}

/** The limit of all passes, and Redis decides each. */
function expectExact(decisions: readonly Decision[]): void {
  expect(decisions.filter(({ source }) => source !== 'redis')).toEqual([])
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(limit)
}

/**
 * Asks a few times more than the limit while the key's slot moves, when servers refuse calls that need two keys, and again after that.
 * Redis decides each time. `refusedCalls`: how many calls the servers refused so.
 */
async function askWhileMoving(
  key: string,
  ask: () => Promise<Decision>,
): Promise<{ asked: Decision[]; refusedCalls: number }> {
  const slot = slotOf(`{${key}}`)
  const from = await cluster.holder(slot)
  const to = cluster.master(from === cluster.master(0) ? 1 : 0)
  const before = await errors('TRYAGAIN')
  await cluster.moveSlot(slot, to, 'opened')
  const asked = await atOnce(limit + 5, ask)
  const refusedCalls = (await errors('TRYAGAIN')) - before
  expect(refusedCalls).toBeGreaterThan(0)
  await cluster.closeSlot(slot, from, to)
  asked.push(...(await atOnce(5, ask)))
  expect(asked.filter(({ source }) => source !== 'redis')).toEqual([])
  return { asked, refusedCalls }
}

describe.each(clusterClientNames)('while slots move, through %s', (client) => {
  it('a new key of two policies is decided key by key', async () => {
    application = await applicationOn(cluster, client)
    const limiter = createLimiter({ name: 'new', store: application.store, policies })
    const key = randomBytes(6).toString('hex')
    const { asked, refusedCalls } = await askWhileMoving(key, () => limiter.check(key))
    // Each call has been refused once: nobody has tried again.
    expect(refusedCalls).toBeLessThanOrEqual(limit + 5)
    expect(asked.filter(({ allowed }) => allowed)).toHaveLength(limit)
    const { verdicts } = await limiter.peek(key)
    expect([verdicts.window?.remaining, verdicts.log?.remaining]).toEqual([0, 0])
  })

  it('a new key whose blocks are counted at a second one is decided, and blocked', async () => {
    application = await applicationOn(cluster, client)
    const policy = fixedWindow({ limit, window: '1h', blockFor: { first: '2h', factor: 2 } })
    const limiter = createLimiter({ name: 'blocking', store: application.store, policy })
    const key = randomBytes(6).toString('hex')
    const { asked } = await askWhileMoving(key, () => limiter.check(key))
    expect(asked.filter(({ allowed }) => allowed)).toHaveLength(limit)
    expect(new Set(asked.map(({ reason }) => reason))).toEqual(new Set([null, 'blocked']))
    await limiter.unblock(key)
    expect(await limiter.check(key)).toMatchObject({ reason: 'blocked', retryAfterMs: 7_200_000 })
    expect(await limiter.inspect(key)).toMatchObject({ default: { blocks: 1 } })
  })

  it('a new key whose slot is on its way to a server that holds none yet is decided there', async () => {
    application = await applicationOn(cluster, client)
    const limiter = createLimiter({ name: 'newcomer', store: application.store, policies })
    await limiter.ready()
    const newcomer = await cluster.addMaster()
    const key = randomBytes(6).toString('hex')
    const slot = slotOf(`{${key}}`)
    const from = await cluster.holder(slot)
    await cluster.moveSlot(slot, newcomer, 'opened')
    const decisions = await atOnce(limit, () => limiter.check(key))
    // Those who ask later meet nobody under way.
    for (let i = 0; i < 5; i++) decisions.push(await limiter.check(key))
    await cluster.closeSlot(slot, from, newcomer)
    decisions.push(...(await atOnce(5, () => limiter.check(key))))
    expectExact(decisions)
  })

  it('as many pass as the limits say, of keys that come and go between servers', async () => {
    application = await applicationOn(cluster, client)
    const limiter = createLimiter({ name: 'moving', store: application.store, policies })
    const keys = Array.from({ length: 6 }, () => randomBytes(6).toString('hex'))
    const before = { moved: await errors('MOVED'), ask: await errors('ASK') }
    let asking = true
    const moving = (async () => {
      for (let turn = 0; asking; turn++) {
        for (const key of keys) await cluster.moveSlot(slotOf(`{${key}}`), cluster.master(turn % 3))
      }
    })()
    const admitted = await Promise.all(
      keys.map(async (key) => {
        let passed = 0
        for (let i = 0; i < 100; i++) {
          const decisions = await atOnce(4, () => limiter.check(key, { cost: i % 2 }))
          expect(decisions.filter(({ source }) => source !== 'redis')).toEqual([])
          if (i % 2 === 1) passed += decisions.filter(({ allowed }) => allowed).length
        }
        return passed
      }),
    )
    asking = false
    await moving
    expect(admitted).toEqual(keys.map(() => limit))
    const looks = await Promise.all(keys.map((key) => limiter.peek(key)))
    expect(
      looks.filter(({ verdicts }) => verdicts.window?.remaining !== 0 || verdicts.log?.remaining !== 0),
    ).toEqual([])
    expect((await errors('MOVED')) - before.moved).toBeGreaterThan(0)
    expect((await errors('ASK')) - before.ask).toBeGreaterThan(0)
  })
})

/** The same server, as if behind a NAT. */
function byName(address: string): { host: string; port: number } {
  return { host: 'localhost', port: Number(address.split(':')[1]) }
}

describe.each(clusterClientNames)('through %s, which reaches the servers by other addresses', (name) => {
  it.each<Move>(['opened', 'done'])('a key whose move is %s is decided where it is', async (move) => {
    const { client, end } = await connectToCluster(name, cluster, { translate: byName })
    const store = redisStore(client, { deadline: patient })
    application = { store, end: () => store.close().then(end) }
    const limiter = createLimiter({ name: 'nat', store, policies })
    await limiter.ready()
    const key = randomBytes(6).toString('hex')
    const slot = slotOf(`{${key}}`)
    const from = await cluster.holder(slot)
    const to = cluster.master(from === cluster.master(0) ? 1 : 0)
    await cluster.moveSlot(slot, to, move)
    const decisions = await atOnce(limit + 5, () => limiter.check(key))
    if (move === 'opened') await cluster.closeSlot(slot, from, to)
    decisions.push(...(await atOnce(5, () => limiter.check(key))))
    expectExact(decisions)
  })
})
