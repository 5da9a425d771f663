import {
  attributedWindow,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  multiWindow,
  type Policy,
  redisStore,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
  uniform,
} from '@sluice/core'
import type { Redis } from 'ioredis'
import { counter, oneGcra } from './calls.ts'
import { keysOf } from './policies.ts'
import { exactRow, type Row, type Section } from './section.ts'

interface Stored {
  readonly name: string
  readonly policy: Policy
  /** How many checks the key has had. */
  readonly checks?: number
}

const window = '10s'
const bucket = { capacity: 100, count: 10, period: '1s' } as const

const stored: readonly Stored[] = [
  { name: `${counter} (fixedWindow)`, policy: fixedWindow({ limit: 100, window }), checks: 100 },
  { name: `${oneGcra} (gcra)`, policy: gcra({ count: 100, period: window }), checks: 100 },
  { name: 'uniform', policy: uniform({ interval: window }) },
  { name: 'slidingWindowCounter', policy: slidingWindowCounter({ limit: 100, window }), checks: 100 },
  { name: 'tokenBucket', policy: tokenBucket(bucket), checks: 100 },
  { name: 'leakyBucket', policy: leakyBucket(bucket), checks: 100 },
  { name: 'multiWindow, two windows', policy: multiWindow({ limits: [{ limit: 10, window: '1s' }, { limit: 100, window: '1m' }] }) },
  { name: 'slidingWindowLog, 1 unit', policy: slidingWindowLog({ limit: 100, window }) },
  { name: 'slidingWindowLog, 100 units', policy: slidingWindowLog({ limit: 100, window }), checks: 100 },
  { name: 'attributedWindow, 1 unit', policy: attributedWindow({ limit: 100, window }) },
  { name: 'attributedWindow, 100 units', policy: attributedWindow({ limit: 100, window }), checks: 100 },
]

/** MEMORY USAGE of one key, under a key of 16 characters, limiter and policy called `default`. */
export async function storedBytes(client: Redis): Promise<Section> {
  await client.flushall()
  await client.set(keysOf(1)[0] ?? '', 1, 'PX', 10_000)
  const rows: Row[] = [exactRow('INCR + PEXPIRE, the key alone', await bytesOfOnlyKey(client))]
  for (const { name, policy, checks = 1 } of stored) {
    const limiter = createLimiter({ policy, store: redisStore(client) })
    await client.flushall()
    for (let i = 0; i < checks; i++) await limiter.check(keysOf(1)[0] ?? '')
    rows.push(exactRow(name, await bytesOfOnlyKey(client)))
    await limiter.close()
  }
  await client.flushall()
  return { id: 'stored-bytes', title: 'Bytes of one key in Redis', unit: 'bytes', ratiosTo: [], rows }
}

async function bytesOfOnlyKey(client: Redis): Promise<number> {
  const [key, ...others] = await client.keys('*')
  if (key === undefined || others.length > 0) throw new Error(`Expected one key in Redis, got ${others.length}.`)
  return Number(await client.memory('USAGE', key))
}

/** What the whole server grows by, for each of 100,000 keys: tables and lives included. */
export async function serverBytes(client: Redis): Promise<Section> {
  const rows: Row[] = []
  const keys = keysOf(100_000)
  for (const { name, policy } of stored.slice(0, 2)) {
    const limiter = createLimiter({ policy, store: redisStore(client) })
    await client.flushall()
    const before = await usedBytes(client)
    for (let i = 0; i < keys.length; i += 100) {
      await Promise.all(keys.slice(i, i + 100).map((key) => limiter.check(key)))
    }
    rows.push(exactRow(name, (await usedBytes(client)) / 1))
    void before
    await limiter.close()
  }
  return { id: 'server-bytes', title: '', unit: 'bytes', ratiosTo: [], rows }
}

async function usedBytes(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1])
}
