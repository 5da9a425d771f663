import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import { type ClusterClientName, RedisCluster } from '@sluice/faults'
import { until } from '@sluice/faults/outage'
import {
  createLimiter,
  type Decision,
  type Duration,
  fixedWindow,
  type Limiter,
  type Policies,
  slidingWindowLog,
} from '../../src/index.ts'
import { slotOf } from '../../src/redis/slot.ts'
import { type Application, applicationOn, atOnce, silent } from './application.ts'

const cluster = new RedisCluster()
beforeAll(() => cluster.start())
afterAll(() => cluster.end())

const applications: Application[] = []
afterEach(async () => {
  for (const { end } of applications.splice(0)) await end()
})

const limit = 60
/** Longer than a test: what is given back is so because it is let go, not because its time is over. */
const ahead: Duration = '1m'
const clients: readonly ClusterClientName[] = ['ioredis 6', 'node-redis 6']

/** Two processes that take units ahead, each by a client of its own, and one that does not. */
async function processesOf<P extends Policies>(policies: P) {
  const name = randomBytes(6).toString('hex')
  async function open(client: ClusterClientName, aheadFor: Duration | undefined): Promise<Limiter<P>> {
    const application = await applicationOn(cluster, client)
    applications.push(application)
    const { store } = application
    const any: Policies = policies
    const limiter = createLimiter({ name, store, policies: any, ahead: aheadFor, logger: silent })
    return limiter as unknown as Limiter<P> // of those policies
  }
  return {
    takers: await Promise.all(clients.map((client) => open(client, ahead))),
    plain: await open('ioredis 6', undefined),
  }
}

/** Keys of which each of the three masters holds as many. */
function keysOf(each: number): readonly string[] {
  const keys: string[] = []
  for (const nth of [0, 1, 2]) {
    for (let i = 0; keys.length < (nth + 1) * each; i++) {
      const key = `key ${i} ${randomBytes(4).toString('hex')}`
      if (Math.floor((slotOf(`{${key}}`) * 3) / 16_384) === nth) keys.push(key)
    }
  }
  return keys
}

interface Asked {
  check(key: string): Promise<Pick<Decision, 'allowed' | 'source'>>
}

function fromHand<P extends Policies>(limiters: readonly Limiter<P>[]): number {
  return limiters.reduce((sum, limiter) => sum + (limiter.health().ahead?.decisions ?? 0), 0)
}

describe('two processes with units in hand on a cluster', () => {
  it('admit as many of each key as the limit says, and no more, whichever master holds it', async () => {
    const { takers, plain } = await processesOf({ visit: slidingWindowLog({ limit, window: '1h' }) })
    const keys = keysOf(4)
    const admitted = new Map(keys.map((key) => [key, 0]))
    const ask = async (limiter: Asked, key: string) => {
      const { allowed, source } = await limiter.check(key)
      expect(source).toBe('redis')
      if (allowed) admitted.set(key, (admitted.get(key) ?? 0) + 1)
    }
    await Promise.all(
      takers.flatMap((limiter) =>
        atOnce(8, async (caller) => {
          for (let i = 0; i < 5 * keys.length; i++) await ask(limiter, keys[(caller + i) % keys.length] ?? '')
        }),
      ),
    )
    // Each has asked for forty, so some of the eighty had to be refused.
    for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(limit)
    expect(fromHand(takers)).toBeGreaterThan(keys.length * 10)
    await Promise.all(takers.map((limiter) => limiter.close()))
    for (const [key, count] of admitted)
      expect({ key, left: (await plain.peek(key)).remaining }).toEqual({ key, left: limit - count })
    for (const key of keys) for (let i = 0; i < limit; i++) await ask(plain, key)
    expect([...new Set(admitted.values())]).toEqual([limit])
  })

  it('count both keys of a request that lie on two masters, and give both back', async () => {
    const [all = '', , , other = ''] = keysOf(3)
    const { takers, plain } = await processesOf({
      all: slidingWindowLog({ limit: 500, window: '1h' }),
      each: fixedWindow({ limit, window: '1h' }),
    })
    const users = [other, ...keysOf(1)]
    const admitted = new Map(users.map((user) => [user, 0]))
    await Promise.all(
      takers.flatMap((limiter) =>
        atOnce(8, async () => {
          for (const each of [...users, ...users, ...users, ...users, ...users]) {
            const { allowed } = await limiter.check({ all, each })
            if (allowed) admitted.set(each, (admitted.get(each) ?? 0) + 1)
          }
        }),
      ),
    )
    expect(fromHand(takers)).toBeGreaterThan(0)
    await Promise.all(takers.map((limiter) => limiter.close()))
    const left = async (each: string) => {
      const { verdicts } = await plain.peek({ all, each })
      return [verdicts.all?.remaining, verdicts.each?.remaining]
    }
    const sum = [...admitted.values()].reduce((total, count) => total + count, 0)
    for (const [user, count] of admitted) {
      expect(count).toBeLessThanOrEqual(limit)
      expect({ user, left: await left(user) }).toEqual({ user, left: [500 - sum, limit - count] })
    }
  })

  it('count each unit once while slots move, with units of them in hand', async () => {
    const { takers, plain } = await processesOf({
      window: fixedWindow({ limit, window: '1h' }),
      log: slidingWindowLog({ limit, window: '1h' }),
    })
    const keys = keysOf(2)
    let asking = true
    let turns = 0
    const moving = (async () => {
      for (; asking; turns++)
        for (const key of keys) await cluster.moveSlot(slotOf(`{${key}}`), cluster.master(turns % 3))
    })()
    const admitted = new Map(keys.map((key) => [key, 0]))
    const ask = async (limiter: Asked, key: string) => {
      const { allowed, source } = await limiter.check(key)
      expect(source).toBe('redis')
      if (allowed) admitted.set(key, (admitted.get(key) ?? 0) + 1)
    }
    // Half of what there is, while all slots have moved more than once; what is in hand goes back and forth.
    for (let round = 0; round < 15; round++) {
      await until(async () => turns >= round / 7, { what: 'slots that move' })
      await Promise.all(
        takers.flatMap((limiter) => keys.flatMap((key) => [ask(limiter, key), ask(limiter, key)])),
      )
      if (round % 5 === 4)
        await Promise.all(takers.flatMap((limiter) => keys.map((key) => limiter.unblock(key))))
    }
    for (let round = 0; round < 10; round++)
      await Promise.all(
        takers.flatMap((limiter) =>
          keys.flatMap((key) => [ask(limiter, key), ask(limiter, key), ask(limiter, key)]),
        ),
      )
    for (const count of admitted.values()) expect(count).toBeLessThanOrEqual(limit)
    expect(fromHand(takers)).toBeGreaterThan(keys.length)
    await Promise.all(takers.map((limiter) => limiter.close()))
    asking = false
    await moving
    for (const [key, count] of admitted) {
      const { verdicts } = await plain.peek(key)
      expect({ key, left: [verdicts.window?.remaining, verdicts.log?.remaining] }).toEqual({
        key,
        left: [limit - count, limit - count],
      })
    }
  })
})
