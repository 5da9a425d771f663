import { createLimiter, type Limiter, type Policies, redisStore } from '@sluice/core'
import type { RedisProcess } from '@sluice/faults'
import { Redis } from 'ioredis'
import type { Figures } from '../../src/plan/figures-read.ts'
import { type Given, planOf } from '../../src/plan/plan.ts'

export const quiet = { warn() {}, error() {} }
const atOnce = 500

/** How far a plan may be from a server, in shares: a figure that is off by a tenth is found. */
export const bound = 0.03

/** As many checks as the figures were measured behind: the number of a check is in the entries of a log. */
const earlier = 36 ** 3

/** Asks for each user so many times, through a limiter of all policies; answers how many keys there are, and what they take. */
export async function fill(
  server: RedisProcess,
  { users, policies, keyLength }: Given,
  { times }: { readonly times: number },
): Promise<{ readonly keys: number; readonly bytes: number }> {
  const filling = new Redis(server.url)
  const store = redisStore(filling, { deadline: '30s' })
  const limiter = createLimiter({ store, policies: namedAlike(policies), logger: quiet })
  const names = (count: number, first: string) =>
    Array.from({ length: count }, (_, i) => String(i).padStart(keyLength, first))
  // The scripts are there before, and what a server keeps of each command that it has run.
  await checkEach(limiter, names(earlier, 'e'))
  for (let time = 0; time < times; time++) await checkEach(limiter, names(2, 'w'))
  await filling.flushall()
  filling.disconnect()
  const before = await usedBytes(server)
  await filling.connect()
  for (let time = 0; time < times; time++) await checkEach(limiter, names(users, 'u'))
  const keys = await filling.dbsize()
  await limiter.close()
  await store.close()
  filling.disconnect()
  return { keys, bytes: (await usedBytes(server)) - before }
}

/** A policy is called `default` where it is the only one; the others' names are as long. */
export function namedAlike(policies: Given['policies']): Policies {
  return Object.fromEntries(policies.map(({ policy }, i) => [i === 0 ? 'default' : `policy${i}`, policy]))
}

async function checkEach(limiter: Limiter, names: readonly string[]): Promise<void> {
  for (let from = 0; from < names.length; from += atOnce) {
    const some = names.slice(from, from + atOnce)
    const decisions = await Promise.all(some.map((name) => limiter.check(name)))
    const wrong = decisions.find(({ allowed, source }) => !allowed || source !== 'redis')
    if (wrong !== undefined) throw new Error(`${wrong.source} says: allowed is ${wrong.allowed}`)
  }
}

/** Of the server alone: other connections have gone with their buffers, and that of a new one is as large as at every other time. */
async function usedBytes(server: RedisProcess): Promise<number> {
  const client = new Redis(server.url)
  while (!/connected_clients:1\r/.test(await client.info('clients'))) await client.ping()
  const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1])
  client.disconnect()
  return used
}

/** What a plan says that keys and tables take once no table doubles: then two thirds of the tables are left. */
export function plannedBytes(given: Given, figures: Figures): number {
  const { keyBytes, tableBytesOfShard } = planOf(given, figures).region
  return keyBytes + (tableBytesOfShard * 2) / 3
}
