import { createLimiter, type Decision, type Policy, redisStore, type Store } from '@sluice/core'
import type { RedisCluster } from '@sluice/faults'
import { silent } from '../silent.ts'

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
export function storeOn(cluster: RedisCluster): Store {
  const addresses = cluster.addresses.map(({ host, port }) => `${host}:${port}`)
  return redisStore({ cluster: addresses }, { deadline: '30s' })
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
  let sum = 0
  for (const { client } of masters)
    sum += Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1])
  return sum
}
