import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { clusterClientNames, RedisCluster } from '@sluice/faults'
import { createLimiter, fixedWindow, redisStore, type Store } from '../../src/index.ts'
import { slotOf } from '../../src/redis/slot.ts'
import { type Application, applicationOn, atOnce, silent } from '../cluster/application.ts'
import { eventually, took } from './within.ts'

/** The deadline, and what a request may wait beyond it. */
const longestMs = 150
const limit = 5

const cluster = new RedisCluster({ failsOver: true })
const applications: [name: string, Application][] = []
beforeAll(async () => {
  await cluster.start()
  for (const name of clusterClientNames) applications.push([name, await applicationOn(cluster, name, {})])
  const own = redisStore({ cluster: cluster.addresses.map(({ host, port }) => `${host}:${port}`) })
  applications.push(['a client of its own', { store: own, end: () => own.close() }])
})
afterAll(async () => {
  await cluster.end()
  for (const [, { end }] of applications) await end()
})

function limiterOf(store: Store) {
  const policy = fixedWindow({ limit, window: '1h' })
  return createLimiter({ name: randomBytes(6).toString('hex'), store, policy, logger: silent })
}

/** A key that nobody has, which was the nth master's at first. */
function keyOf(nth: number): string {
  for (;;) {
    const key = randomBytes(6).toString('hex')
    if (Math.floor((slotOf(`{${key}}`) * 3) / 16_384) === nth) return key
  }
}

/** By how many requests each application's keys of a master were decided, and how many of those by Redis. */
type Counts = { [application: string]: { asked: number; byRedis: number } }

/** Everybody asks about a key of each master, in time and without an error, until it is over; the counts are of those that go on. */
async function askOn(failing: number, over: () => boolean): Promise<Counts> {
  const counts: Counts = {}
  async function askOne(name: string, limiter: ReturnType<typeof limiterOf>, nth: number): Promise<void> {
    const others = counts[name] ?? { asked: 0, byRedis: 0 }
    counts[name] = others
    for (let i = 1; !over(); i++) {
      const { value, ms } = await took(() => limiter.check(keyOf(nth)))
      const { allowed, source } = value
      const inTime = ms <= longestMs
      expect({ name, nth, allowed, inTime }).toEqual({ name, nth, allowed: true, inTime: true })
      if (nth !== failing) others.asked++
      if (nth !== failing && source === 'redis') others.byRedis++
      // What fails at once is asked again at once, a few times: failures come thicker than answers.
      const again = nth === failing && i % 5 > 0
      await new Promise((resolve) => (again ? setImmediate(resolve) : setTimeout(resolve, 5)))
    }
  }
  await Promise.all(
    applications.flatMap(([name, { store }]) => {
      const limiter = limiterOf(store)
      return [0, 1, 2].map((nth) => askOne(name, limiter, nth))
    }),
  )
  return counts
}

async function isExact([name, { store }]: [string, Application], nth: number): Promise<void> {
  const limiter = limiterOf(store)
  await eventually(async () => (await limiter.check(keyOf(nth))).source === 'redis')
  const key = keyOf(nth)
  const decisions = await atOnce(4 * limit, () => limiter.check(key))
  const admitted = decisions.filter(({ allowed }) => allowed).length
  const sources = [...new Set(decisions.map(({ source }) => source))]
  expect({ name, admitted, sources }).toEqual({ name, admitted: limit, sources: ['redis'] })
}

describe('a cluster whose master', () => {
  // biome-ignore format: a table
  it.each<[string, number, (nth: number) => unknown]>([
    // what it does  which  how
    ['dies',         0,     (nth) => cluster.master(nth).server.kill()],
    ['hangs',        1,     (nth) => cluster.master(nth).server.hang()],
  ])('%s is waited for by nobody, and exact again within five seconds after its replica has taken over', async (_what, nth, fail) => {
    await Promise.all(applications.map(([, { store }]) => store.ready?.()))
    let over = false
    const asking = askOn(nth, () => over)
    await fail(nth)
    await cluster.tookOver(cluster.replica(nth)).finally(() => {
      over = true
    })
    // The servers that are well go on deciding, whatever becomes of the one that is not.
    for (const [name, { asked, byRedis }] of Object.entries(await asking)) {
      expect({ name, most: byRedis > asked / 2 }).toEqual({ name, most: true })
    }
    await Promise.all(applications.map((application) => isExact(application, nth)))
  })
})
