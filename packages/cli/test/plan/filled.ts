import { createLimiter, type Limiter, type Policies, redisStore } from '@sluice/core'
import type { RedisProcess } from '@sluice/faults/outage'
import { Redis } from 'ioredis'
import type { Figures } from '../../src/plan/figures-read.ts'
import { type Given, planOf } from '../../src/plan/plan.ts'
import { given } from './given.ts'

export const quiet = { warn() {}, error() {} }
const atOnce = 500

/** How far a plan may be from a server, in shares: a figure that is off by a tenth is found. */
export const bound = 0.03

/** As many checks as the figures were measured behind: the number of a check is in the entries of a log. */
const earlier = 36 ** 3

/** Fills a server by one store, whose checks are numbered on and on. */
export interface Filler {
  /** Asks for each user so many times, through a limiter of all policies; answers how many keys there are, and what they take. */
  fill(given: Given, times: number): Promise<{ readonly keys: number; readonly bytes: number }>
  end(): Promise<void>
}

export async function openFiller(server: RedisProcess): Promise<Filler> {
  const client = new Redis(server.url)
  // On a busy machine a call may seem slow, and a server would keep its words.
  await client.config('SET', 'slowlog-log-slower-than', -1)
  const store = redisStore(client, { deadline: '30s' })
  const limiterOf = (policies: Given['policies']) =>
    // After a lost connection another choice would count in this process too.
    createLimiter({ store, policies: namedAlike(policies), onStoreFailure: 'deny', logger: quiet })
  const filler: Filler = {
    async fill({ users, policies, keyLength }, times) {
      const limiter = limiterOf(policies)
      const all = names(users, keyLength)
      const check = async (some: readonly string[]) => {
        for (let time = 0; time < times; time++) await checkEach(limiter, some)
      }
      // A server keeps something of each command that it has run.
      await check(all.slice(0, 2000))
      await client.flushall()
      client.disconnect()
      const before = await usedBytes(server)
      await client.connect()
      await check(all)
      const keys = await client.dbsize()
      await finishTables(client, keys)
      client.disconnect()
      const bytes = (await usedBytes(server)) - before
      await client.connect()
      await limiter.close()
      return { keys, bytes }
    },
    async end() {
      await store.close()
      client.disconnect()
    },
  }
  const { policies, keyLength } = given({ policy: ['slidingWindowLog:100/1h'] })
  const limiter = limiterOf(policies)
  await checkEach(limiter, names(earlier, keyLength))
  await limiter.close()
  // Not for what it takes: a server keeps something of each command that it has run.
  await filler.fill(given({}), 1)
  return filler
}

function names(count: number, length: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => String(i).padStart(length, 'u'))
}

/** A policy is called `default` where it is the only one; the others' names are as long. */
export function namedAlike(policies: Given['policies']): Policies {
  const nameOf = (i: number) => (policies.length === 1 ? 'default' : `policy${i}`)
  return Object.fromEntries(policies.map(({ policy }, i) => [nameOf(i), policy]))
}

async function checkEach(limiter: Limiter<Policies>, names: readonly string[]): Promise<void> {
  for (let from = 0; from < names.length; from += atOnce) {
    const some = names.slice(from, from + atOnce)
    const decisions = await Promise.all(some.map((name) => limiter.check(name)))
    const wrong = decisions.find(({ allowed, source }) => !allowed || source !== 'redis')
    if (wrong !== undefined) throw new Error(`${wrong.source} says: allowed is ${wrong.allowed}`)
  }
}

/** Each look-up moves a part of a table that has doubled. */
async function finishTables(client: Redis, slots: number): Promise<void> {
  const key = (await client.randomkey()) ?? ''
  for (let looked = 0; looked < slots; looked += atOnce) {
    const looks = client.pipeline()
    for (let i = 0; i < atOnce; i++) looks.pttl(key)
    await looks.exec()
  }
}

/** Of the server beside a new connection: the most of some answers, as the server shrinks the buffers of one that takes its time. */
async function usedBytes(server: RedisProcess): Promise<number> {
  const used: number[] = []
  while (used.length < 7) {
    const bytes = await usedBesideOne(server)
    if (bytes !== undefined) used.push(bytes)
  }
  return Math.max(...used)
}

/** undefined while another connection has not gone. */
async function usedBesideOne({ url }: RedisProcess): Promise<number | undefined> {
  const client = new Redis(url, { enableReadyCheck: false })
  const [clients, memory] = (await client.multi().info('clients').info('memory').exec()) ?? []
  client.disconnect()
  if (!String(clients).includes('connected_clients:1\r')) return undefined
  // Beside scripts: which of them are asked for, and when first, depends on how busy the machine is.
  return numberIn(memory, 'used_memory') - numberIn(memory, 'used_memory_scripts')
}

function numberIn(info: unknown, name: string): number {
  return Number(new RegExp(`${name}:(\\d+)`).exec(String(info))?.[1])
}

/** What a plan says that keys and tables take once no table doubles: then two thirds of the tables are left. */
export function plannedBytes(settings: Given, figures: Figures): number {
  const { keyBytes, tableBytesOfShard } = planOf(settings, figures).region
  return keyBytes + (tableBytesOfShard * 2) / 3
}
