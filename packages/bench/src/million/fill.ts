import {
  createLimiter,
  type Decision,
  type Duration,
  type Policy,
  redisStore,
  type Store,
} from '@sluice/core'
import type { Member, RedisCluster } from '@sluice/faults'
import { silent } from '../calls.ts'

const atOnce = 512

/** What is asked of a limiter here. */
export interface Asked {
  check(key: string): Promise<Pick<Decision, 'allowed' | 'source'>>
  close(): Promise<void>
}

export interface Filled {
  readonly perSecond: number
  /** Of all masters together, for each key, tables included. */
  readonly bytesPerKey: number
}

export const keyOf = (nth: number): string => `user-${String(nth).padStart(11, '0')}`

/** A fill may be slow: by the usual deadline a busy machine would pass for an outage. */
export function storeOn(cluster: RedisCluster, deadline: Duration = '30s'): Store {
  return redisStore({ cluster: cluster.addresses.map(({ host, port }) => `${host}:${port}`) }, { deadline })
}

export function limiterOn(store: Store, name: string, policy: Policy): Asked {
  return createLimiter({ name, policy, store, logger: silent })
}

/** One check for each key. */
export async function fill(cluster: RedisCluster, limiter: Asked, keys: number): Promise<Filled> {
  const before = await usedBytes(cluster)
  const startedMs = performance.now()
  let next = 0
  async function work(): Promise<void> {
    while (next < keys) mustCount(await limiter.check(keyOf(next++)))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const seconds = (performance.now() - startedMs) / 1000
  return { perSecond: keys / seconds, bytesPerKey: ((await usedBytes(cluster)) - before) / keys }
}

function mustCount({ source, allowed }: { readonly source: string; readonly allowed: boolean }): void {
  if (source !== 'redis' || !allowed) throw new Error(`A key was not counted: ${source}, allowed ${allowed}.`)
}

export async function empty(cluster: RedisCluster): Promise<void> {
  for (const { client } of cluster.masters) await client.flushall()
}

async function usedBytes({ masters }: RedisCluster): Promise<number> {
  const used = await Promise.all(masters.map((member) => numberOf(member, 'memory', 'used_memory')))
  return used.reduce((sum, each) => sum + each, 0)
}

export async function numberOf({ client }: Member, section: string, field: string): Promise<number> {
  return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(await client.info(section))?.[1])
}

export async function keysOn(members: readonly Member[]): Promise<number> {
  const sizes = await Promise.all(members.map(({ client }) => client.dbsize()))
  return sizes.reduce((sum, each) => sum + each, 0)
}
