import { parseArgs } from 'node:util'
import { everyCount } from '@sluice/conformance/every-strategy'
import { type Duration, fixedWindow, type Store } from '@sluice/core'
import { RedisCluster } from '@sluice/faults'
import { writeIntoDocument } from '../document.ts'
import { machineOf } from '../machine.ts'
import type { Spread } from '../rounds.ts'
import { asMarkdown, type Table } from '../table.ts'
import { empty, fill, keysOn, limiterOn, storeOn } from './fill.ts'
import { withEviction, withoutRoom } from './full-server.ts'
import { latencyBeside } from './latency.ts'
import { type Resharded, reshard } from './resharding.ts'
import { expireAtOnce, type Quantiles } from './storm.ts'

// A million keys of each strategy on clusters of three masters with a replica each: what a check costs there, and what passes.

const usage = `Usage: npm run million -- [flags]

Fills a cluster of its own with a million keys of each strategy, beside an empty one; then lets all lives end at once, leaves no
room, evicts, and moves slots while a master dies. Ends with 1 if more passes than docs/reliability.md states.

  --keys N     instead of a million
  --only NAME  only that strategy; several may be named; the rest is done with fixedWindow in any case
  --write      also writes the tables into docs/performance.md
`

const leadMs = 8000
const rounds = 15

async function started(): Promise<RedisCluster> {
  const cluster = new RedisCluster({ failsOver: true })
  await cluster.start()
  return cluster
}

const digits = (value: number, places: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })

const spreadWords = ({ median, low, high }: Spread, places: number): string =>
  `${digits(median, places)} (${digits(low, places)}–${digits(high, places)})`

async function strategyRows(
  [full, other]: readonly [RedisCluster, RedisCluster],
  { keys, only }: { readonly keys: number; readonly only: readonly string[] },
): Promise<Table> {
  const rows: string[][] = []
  const [store, otherStore] = [storeOn(full), storeOn(other)]
  for (const [strategy, policy] of Object.entries(everyCount(100, '6h'))) {
    if (only.length > 0 && !only.includes(strategy)) continue
    process.stderr.write(`${strategy} …\n`)
    const limiter = limiterOn(store, strategy, policy)
    const { perSecond, bytesPerKey } = await fill(full, limiter, keys)
    const beside = limiterOn(otherStore, strategy, policy)
    const { median, most, ofEmpty } = await latencyBeside(limiter, beside, { keys, rounds })
    rows.push([
      strategy,
      digits(bytesPerKey, 0),
      digits(perSecond, 0),
      spreadWords(median, 2),
      spreadWords(most, 2),
      spreadWords(ofEmpty, 2),
    ])
    process.stderr.write(`${rows.at(-1)?.join(' | ')}\n`)
    await limiter.close()
    await beside.close()
    await empty(full)
    await empty(other)
  }
  await store.close()
  await otherStore.close()
  const head = [
    'strategy',
    'bytes a key',
    'filled a second',
    'median, ms',
    '99th percentile, ms',
    'median, of an empty cluster',
  ]
  return [head, ...rows]
}

interface Troubles {
  readonly table: Table
  readonly complaints: readonly string[]
}

async function troubles(cluster: RedisCluster, keys: number): Promise<Troubles> {
  const rows: string[][] = []
  const said = (...row: string[]) => {
    rows.push(row)
    process.stderr.write(`${row.join(' | ')}\n`)
  }
  // Each with a store of its own: one that has met an outage counts in this process too for a while.
  const store = storeOn(cluster)
  async function withStore<T>(work: (own: Store) => Promise<T>, deadline?: Duration): Promise<T> {
    const own = storeOn(cluster, deadline)
    return work(own).finally(() => own.close())
  }
  const filling = limiterOn(store, 'filling', fixedWindow({ limit: 1000, window: '6h' }))
  await fill(cluster, filling, keys)
  const living = limiterOn(store, 'living', fixedWindow({ limit: 1_000_000, window: '6h' }))
  const storm = await expireAtOnce(cluster, living, leadMs)
  said('a check every 5 ms, before their lives end', times(storm.before))
  said('while all end within a second, and until the last has gone', times(storm.during))
  said('after that', times(storm.after))
  said('the last key has gone after the last end of a life', `${digits(storm.goneMs / 1000, 1)} s`)
  said('checks that were not decided by Redis meanwhile', digits(storm.notFromRedis, 0))
  await empty(cluster)
  await fill(cluster, filling, keys)
  const noRoom = await withStore((own) => withoutRoom(cluster, own, 3000))
  said(
    `no room, \`noeviction\`: ${digits(noRoom.asked, 0)} new keys`,
    `${digits(noRoom.byFallback, 0)} decided by the process; it says: ${noRoom.said}`,
  )
  said('Redis decides again after there is room', `${digits(noRoom.againMs, 0)} ms`)
  const eviction = await withStore((own) => withEviction(cluster, own, 3000))
  said(
    'a tenth too little room, `volatile-lru`',
    `${digits(eviction.evicted, 0)} keys evicted; of ${digits(eviction.exhausted, 0)} exhausted keys ${digits(eviction.admittedAgain, 0)} pass again, without a sign`,
  )
  if ((await keysOn(cluster.masters)) < keys / 2) await fill(cluster, filling, keys)
  const moved = await withStore((own) => reshard(cluster, { store: own, slots: 40 }), '1s')
  said(
    `${moved.slots} slots moved while ${digits(moved.checks, 0)} checks were asked and a master died`,
    `${digits(moved.movingMs / 1000, 1)} s`,
  )
  said(
    "most that passed, in limits, with 'deny': keys of the masters that lived",
    digits(moved.most.deny.elsewhere, 2),
  )
  said("with 'deny': keys of the master that died", digits(moved.most.deny.failed, 2))
  said("with 'local'", digits(moved.most.local, 2))
  for (const limiter of [filling, living]) await limiter.close()
  await store.close()
  return { table: [['what befalls them', 'what was seen'], ...rows], complaints: complaintsOf(moved) }
}

function times({ median, p99, most, checks }: Quantiles): string {
  return `median ${digits(median, 2)} ms, 99th percentile ${digits(p99, 2)} ms, longest ${digits(most, 1)} ms of ${digits(checks, 0)}`
}

/** What docs/reliability.md states. */
function complaintsOf({ most, fewest }: Resharded): readonly string[] {
  return [
    ...(most.deny.elsewhere > 1 ? ['A key of a living master got more than its limit.'] : []),
    ...(most.deny.failed > 2 || most.local > 2 ? ['A key got more than one limit beyond its own.'] : []),
    // What was taken before an answer was lost stays taken: a key may get less.
    ...(fewest < 0.5 ? ['A key did not get half of its limit.'] : []),
  ]
}

const flag = { type: 'boolean', default: false } as const
const only = { type: 'string', multiple: true, default: [] as string[] } as const
const { values } = parseArgs({
  options: { keys: { type: 'string', default: '1e6' }, only, write: flag, help: flag },
})

if (values.help) console.log(usage)
else {
  const keys = Number(values.keys)
  const clusters = [await started(), await started()] as const
  try {
    const { table, complaints } = await troubles(clusters[0], keys)
    await clusters[0].end()
    const fresh = await started()
    const ofStrategies = await strategyRows([fresh, clusters[1]], { keys, only: values.only }).finally(() =>
      fresh.end(),
    )
    const { day, node, redis, cores } = await machineOf(clusters[1].master(0).client)
    const about = `Measured on ${day} with Node ${node} and Redis ${redis}: ${digits(keys, 0)} keys on three masters with a replica each, over TCP, on ${cores} cores shared by all of them and other work.`
    const text = [about, asMarkdown(ofStrategies), asMarkdown(table)].join('\n\n')
    if (values.write) await writeIntoDocument('performance.md', text, 'A million keys')
    console.log(text)
    for (const complaint of complaints) console.error(complaint)
    process.exitCode = complaints.length === 0 ? 0 : 1
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.end()))
  }
}
