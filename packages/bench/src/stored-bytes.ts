import { everyStrategy } from '@sluice/conformance/every-strategy'
import { createLimiter, type Decision, type Policy, redisStore } from '@sluice/core'
import { catalogue } from '@sluice/core/internal'
import type { Redis } from 'ioredis'
import { keysOf } from './policies.ts'
import { disturbed, undisturbed } from './rounds.ts'
import { countedRow, countedSection, type Row, type Section } from './section.ts'
import { silent } from './silent.ts'

interface Stored {
  readonly name: string
  readonly policy: Policy
  /** Units that the key has been charged. */
  readonly units: number
}

const many = keysOf(100_000)
const window = '1m'
const limit = 100
const each = everyStrategy(limit, window)
const daily = everyStrategy(limit, '1d')
const limits = [
  { limit: 10, window: '1s' },
  { limit, window },
] as const

const stored: readonly Stored[] = Object.entries(each).flatMap(([name, policy]) => {
  const { rule, options } = catalogue.declaredStrategies.get(name) ?? {}
  if (rule?.windows !== undefined) {
    const nested = catalogue.policyOfData({ strategy: name, [rule.windows]: limits })
    return [{ name: `${name}, one slot of two windows`, policy: nested, units: 1 }]
  }
  const units = options?.[rule?.units ?? '']
  // A strategy with a maximum keeps an entry for each unit.
  if (units?.kind !== 'count' || units.max === undefined) return [{ name, policy, units: policy.limit }]
  return [
    { name: `${name}, 1 unit`, policy, units: 1 },
    { name: `${name}, ${limit} units`, policy, units: limit },
  ]
})

/** No key may go before all are there. */
const lasting = [
  { name: 'fixedWindow', policy: daily.fixedWindow },
  { name: 'gcra', policy: daily.gcra },
]

/** What one key takes by MEMORY USAGE: a key of 16 characters, limiter and policy called `default`. */
export async function storedBytes(client: Redis): Promise<Section> {
  const [key = ''] = keysOf(1)
  await client.flushall()
  await client.set(key, 1, 'PX', 60_000)
  const rows: Row[] = [
    countedRow('a raw counter under the bare key, with a life', await bytesOfOnlyKey(client)),
  ]
  for (const { name, policy, units } of stored) {
    await client.flushall()
    const limiter = createLimiter({ policy, store: redisStore(client), logger: silent })
    for (let i = 0; i < units; i++) await undisturbed(async () => mustBeFromRedis(await limiter.check(key)))
    rows.push(countedRow(name, await bytesOfOnlyKey(client)))
    await limiter.close()
  }
  return countedSection({ id: 'stored-bytes', title: 'Bytes of one key in Redis', unit: 'bytes' }, rows)
}

async function bytesOfOnlyKey(client: Redis): Promise<number> {
  const [key, ...others] = await client.keys('*')
  if (key === undefined || others.length > 0) throw new Error('There is to be one key in Redis.')
  return Number(await client.memory('USAGE', key))
}

/** The growth of the whole server per key, which includes what MEMORY USAGE leaves out. */
export async function serverBytes(client: Redis): Promise<Section> {
  const rows: Row[] = []
  for (const { name, policy } of lasting) {
    await client.flushall()
    const before = await usedBytes(client)
    const limiter = createLimiter({ policy, store: redisStore(client), logger: silent })
    for (let i = 0; i < many.length; i += 100) {
      await Promise.all(
        many
          .slice(i, i + 100)
          .map((key) => undisturbed(async () => mustBeFromRedis(await limiter.check(key)))),
      )
    }
    const stored = await client.dbsize()
    if (stored !== many.length) throw new Error(`${name}: ${stored} keys of ${many.length} are stored.`)
    rows.push(countedRow(name, ((await usedBytes(client)) - before) / many.length))
    await limiter.close()
  }
  await client.flushall()
  const title = 'Growth of the Redis server for each of 100,000 keys'
  return countedSection({ id: 'server-bytes', title, unit: 'bytes' }, rows)
}

function mustBeFromRedis({ source }: Pick<Decision, 'source'>): void {
  if (source !== 'redis') throw disturbed('A key did not come to Redis.')
}

async function usedBytes(client: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1])
}
