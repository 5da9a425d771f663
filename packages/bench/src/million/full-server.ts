import { setTimeout as pause } from 'node:timers/promises'
import { createLimiter, fixedWindow, type Store } from '@sluice/core'
import type { RedisCluster } from '@sluice/faults'
import { silent } from '../calls.ts'
import { numberOf } from './fill.ts'

export interface FullServer {
  readonly asked: number
  /** Decided by this process, as the servers had no room. */
  readonly byFallback: number
  /** What the first event said. */
  readonly said: string
  /** From when there was room until Redis decided again. */
  readonly againMs: number
}

export interface Eviction {
  readonly evicted: number
  readonly exhausted: number
  /** Of the exhausted keys: those that had their limit again, with no sign of it. */
  readonly admittedAgain: number
  readonly notFromRedis: number
}

async function configure(
  { masters }: RedisCluster,
  option: string,
  valueFor: (used: number) => string,
): Promise<void> {
  for (const member of masters) {
    await member.client.config('SET', option, valueFor(await numberOf(member, 'memory', 'used_memory')))
  }
}

/** No master has room for a key more, and none may evict. */
export async function withoutRoom(cluster: RedisCluster, store: Store, asked: number): Promise<FullServer> {
  let said = ''
  const limiter = createLimiter({
    name: 'full',
    policy: fixedWindow({ limit: 10, window: '1h' }),
    store,
    logger: silent,
    observers: [
      {
        storeFailed({ error }) {
          said ||= String(error instanceof Error ? error.message : error)
        },
      },
    ],
  })
  await limiter.check('before')
  await configure(cluster, 'maxmemory-policy', () => 'noeviction')
  await configure(cluster, 'maxmemory', (used) => String(used - 1_000_000))
  let byFallback = 0
  for (let i = 0; i < asked; i++) if ((await limiter.check(`full-${i}`)).source === 'fallback') byFallback++
  await configure(cluster, 'maxmemory', () => '0')
  const freeMs = performance.now()
  while ((await limiter.check(`again-${performance.now()}`)).source !== 'redis') await pause(10)
  const againMs = performance.now() - freeMs
  await limiter.close()
  return { asked, byFallback, said: said.split(' script:')[0] ?? '', againMs }
}

/** The masters may keep nine tenths of what they have. */
export async function withEviction(
  cluster: RedisCluster,
  store: Store,
  exhausted: number,
): Promise<Eviction> {
  const limiter = createLimiter({
    name: 'evicted',
    policy: fixedWindow({ limit: 1, window: '1h' }),
    store,
    onStoreFailure: 'deny',
    logger: silent,
  })
  for (let i = 0; i < exhausted; i++) await limiter.check(`spent-${i}`)
  const evictedBefore = await evictedOn(cluster)
  await configure(cluster, 'maxmemory-policy', () => 'volatile-lru')
  await configure(cluster, 'maxmemory', (used) => String(Math.round(used * 0.9)))
  let admittedAgain = 0
  let notFromRedis = 0
  for (let i = 0; i < exhausted; i++) {
    const { allowed, source } = await limiter.check(`spent-${i}`)
    if (source !== 'redis') notFromRedis++
    else if (allowed) admittedAgain++
  }
  const evicted = (await evictedOn(cluster)) - evictedBefore
  await configure(cluster, 'maxmemory', () => '0')
  await limiter.close()
  return { evicted, exhausted, admittedAgain, notFromRedis }
}

async function evictedOn({ masters }: RedisCluster): Promise<number> {
  const found = await Promise.all(masters.map((member) => numberOf(member, 'stats', 'evicted_keys')))
  return found.reduce((sum, each) => sum + each, 0)
}
