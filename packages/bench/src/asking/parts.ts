import type { Bench } from '../bench.ts'
import type { Section } from '../section.ts'
import { type Asked, baseOf, baseRow, everyRow, ofOthers, ofSluice } from './rows.ts'
import { atRate, type Base, inMemory, throughRedis } from './sections.ts'
import type { ClientName, Work } from './work.ts'

export const ids = {
  oneAtATime: 'redis-1',
  atOnce: 'redis-64',
  crowd: 'redis-512',
  oneKey: 'redis-64-one-key',
  refused: 'redis-64-refused',
  policies: 'redis-64-policies',
}
export const memoryIds = {
  one: 'memory-one',
  thousands: 'memory-10k',
  many: 'memory-100k',
  addresses: 'memory-addresses',
  refused: 'memory-refused',
}

export const latencyIds = { evenly: 'latency-evenly', bursts: 'latency-bursts' }

const client = 'ioredis'
const keys = 10_000
const ofIncr: Base = { name: 'of INCR', of: () => baseRow.redis }
const ofMap: Base = { name: 'of a Map', of: () => baseRow.memory }

/** Checks through Redis beside other libraries, over ioredis. */
export async function* redisSections(bench: Bench): AsyncGenerator<Section> {
  const loads: readonly { id: string; title: string; atOnce: number; work: Omit<Work, 'strategy'> }[] = [
    { id: ids.oneAtATime, title: 'One at a time', atOnce: 1, work: { keys } },
    { id: ids.atOnce, title: '64 at once', atOnce: 64, work: { keys } },
    { id: ids.crowd, title: '512 at once', atOnce: 512, work: { keys } },
    { id: ids.oneKey, title: '64 at once, one key', atOnce: 64, work: { keys: 1 } },
    { id: ids.refused, title: '64 at once, one refused key', atOnce: 64, work: { keys: 1, refused: true } },
  ]
  for (const { id, title, atOnce, work } of loads) {
    const asked = everyRow({ ...work, client })
    yield await throughRedis(bench, {
      id,
      title: `Beside other libraries: ${title}`,
      asked,
      atOnce,
      base: ofIncr,
    })
  }
}

function several(library: Asked['library'], strategy: Work['strategy'], policies: number): Asked {
  const name = `${library}, ${policies === 1 ? 'one policy' : `${policies} policies`}`
  return { name, library, client, work: { strategy, keys, policies } }
}

export const threePolicies: string = several('Sluice', 'gcra', 3).name

/** One to ten policies on one request. Elsewhere each of them is a round trip of its own. */
export async function* policySections(bench: Bench): AsyncGenerator<Section> {
  const counts = [1, 3, 10]
  const asked = [
    baseOf({ keys, client }),
    ...counts.map((count) => several('Sluice', 'gcra', count)),
    ...counts.map((count) => several('rate-limiter-flexible', 'counter', count)),
  ]
  const title = 'Growth from one policy to ten, 64 at once'
  yield await throughRedis(bench, { id: ids.policies, title, asked, atOnce: 64, base: ofIncr })
}

/** The main rows over other clients, each beside INCR over the same connection. */
export async function* clientSections(bench: Bench): AsyncGenerator<Section> {
  const others: readonly ClientName[] = ['node-redis', 'ioredis with enableAutoPipelining']
  for (const [i, client] of others.entries()) {
    const about = { keys, client }
    const asked = [baseOf(about), ...ofSluice(about), ...ofOthers(about)]
    const title = `Over ${client}, 64 at once`
    yield await throughRedis(bench, {
      id: `redis-client-${i}`,
      title,
      asked,
      atOnce: 64,
      base: ofIncr,
    })
  }
}

/** A hundred times as many keys: what takes turns less often is in no cache. */
export async function* keySections(bench: Bench): AsyncGenerator<Section> {
  const counts = [10_000, bench.quick ? 100_000 : 1_000_000]
  const grown = (row: string) => row.replace(/, [\d,]+ keys$/, `, ${words(counts[0] ?? 0)}`)
  const base: Base = { name: `of ${words(counts[0] ?? 0)}`, of: grown }
  const rows = (about: { client?: ClientName }) =>
    counts.flatMap((count) => {
      const each = { keys: count, ...about }
      const [flexible] = ofOthers(each)
      const asked = [baseOf(each), ...ofSluice(each), ...(flexible === undefined ? [] : [flexible])]
      return asked.map((one) => ({ ...one, name: `${one.name}, ${words(count)}` }))
    })
  const title = (where: string) =>
    `Growth from ${counts.map((count) => count.toLocaleString('en-US')).join(' to ')} keys, ${where}`
  const redis = { id: 'growth-redis', title: title('64 at once through Redis'), asked: rows({ client }) }
  yield await throughRedis(bench, { ...redis, atOnce: 64, base })
  yield await inMemory(bench, {
    id: 'growth-memory',
    title: title('in memory'),
    asked: rows({}),
    base,
  })
}

function words(count: number): string {
  return `${count.toLocaleString('en-US')} keys`
}

/** Awaited checks in memory beside a Map and other libraries. */
export async function* memorySections(bench: Bench): AsyncGenerator<Section> {
  const loads: readonly { id: string; title: string; work: Omit<Work, 'strategy'> }[] = [
    { id: memoryIds.one, title: 'one key', work: { keys: 1 } },
    { id: memoryIds.thousands, title: '10,000 keys', work: { keys } },
    { id: memoryIds.many, title: '100,000 keys', work: { keys: 100_000 } },
    { id: memoryIds.addresses, title: '10,000 IPv6 addresses', work: { keys, addresses: true } },
    { id: memoryIds.refused, title: 'one refused key', work: { keys: 1, refused: true } },
  ]
  for (const { id, title, work } of loads) {
    const about = { id, title: `An awaited check in memory, ${title}`, asked: everyRow(work) }
    yield await inMemory(bench, { ...about, base: ofMap })
  }
}

const perSecond = 10_000
/** What a server has on an ordinary day. */
const usualPerSecond = 2000

function latencyTitle(perSecond: number): string {
  return `Latency of a check through Redis, ${perSecond.toLocaleString('en-US')} a second`
}

export async function* latencySections(bench: Bench): AsyncGenerator<Section> {
  yield await atRate(bench, {
    id: 'latency',
    title: latencyTitle(perSecond),
    asked: everyRow({ keys, client }),
    perSecond,
    arrivals: 'at random',
    rounds: Math.ceil(bench.pace.rounds / 4),
  })
  const about = { keys, client } as const
  const asked = [baseOf(about), ...ofSluice(about), ...ofOthers(about).filter(countsInOneNumber)]
  const usual = { asked, perSecond: usualPerSecond, rounds: Math.ceil(bench.pace.rounds / 2) }
  const title = latencyTitle(usualPerSecond)
  yield await atRate(bench, {
    id: latencyIds.evenly,
    title: `${title}, evenly`,
    ...usual,
    arrivals: 'evenly',
  })
  yield await atRate(bench, {
    id: latencyIds.bursts,
    title: `${title}, in bursts of ${burst}`,
    ...usual,
    arrivals: { atOnce: burst },
  })
}

const burst = 50

/** Those beside which latencies are judged: they do the same work as a counter. */
function countsInOneNumber({ library }: Asked): boolean {
  return (
    library === 'rate-limiter-flexible' ||
    library === 'express-rate-limit' ||
    library === '@fastify/rate-limit'
  )
}
