import { parseArgs } from 'node:util'
import { everyCount } from '@sluice/conformance/every-strategy'
import { RedisCluster } from '@sluice/faults'
import { writeIntoDocument } from '../document.ts'
import { machineOf } from '../machine.ts'
import { asMarkdown, type Table, tableOf } from '../table.ts'
import { raceLanes, type Shown, sectionOfTurns } from '../turns.ts'
import { empty, fill, limiterOn, storeOn } from './fill.ts'
import { latencyLane } from './latency.ts'

// A million keys of each strategy on clusters of three masters with a replica each: what a check costs there.

const usage = `Usage: npm run million -- [flags]

Fills a cluster of its own with a million keys of each strategy, beside an empty one.

  --keys N     instead of a million
  --only NAME  only that strategy; several may be named
  --write      also writes the table into docs/performance.md
`

const rounds = 15
const head = ['strategy', 'bytes a key', 'filled a second']
const shown: readonly Shown<'medianMs' | 'p99Ms'>[] = [
  { name: 'median, ms', figure: 'medianMs', places: 2 },
  { name: '99th percentile, ms', figure: 'p99Ms', places: 2 },
  { name: 'median, of an empty cluster', figure: 'medianMs', places: 2, of: () => 'empty' },
]

interface Flags {
  readonly keys: string
  readonly only: readonly string[]
  readonly write: boolean
}

async function measure({ keys: text, only, write }: Flags): Promise<void> {
  const keys = Number(text)
  const [full, other] = [new RedisCluster({ failsOver: true }), new RedisCluster({ failsOver: true })]
  try {
    await full.start()
    await other.start()
    const table = await strategyTable([full, other], { keys, only })
    const { day, node, redis, cores } = await machineOf(other.master(0).client)
    const about = `Measured on ${day} with Node ${node} and Redis ${redis}: ${whole(keys)} keys on three masters with a replica each, over TCP, on ${cores} cores shared by all of them and other work.`
    const page = `${about}\n\n${asMarkdown(table)}`
    if (write) await writeIntoDocument('performance.md', page, 'A million keys')
    console.log(page)
  } finally {
    await Promise.all([full.end(), other.end()])
  }
}

async function strategyTable(
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
    const lanes = [latencyLane('full', limiter, keys), latencyLane('empty', beside, keys)]
    const section = sectionOfTurns(
      { id: strategy, title: strategy, shown },
      await raceLanes(lanes, { rounds }),
    )
    const [, ...found] = tableOf(section)[1] ?? []
    rows.push([strategy, whole(bytesPerKey), whole(perSecond), ...found])
    for (const each of [limiter, beside]) await each.close()
    for (const cluster of [full, other]) await empty(cluster)
  }
  for (const each of [store, otherStore]) await each.close()
  return [[...head, ...shown.map(({ name }) => name)], ...rows]
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

const flag = { type: 'boolean', default: false } as const
const only = { type: 'string', multiple: true, default: [] as string[] } as const
const { values } = parseArgs({
  options: { keys: { type: 'string', default: '1e6' }, only, write: flag, help: flag },
})
if (values.help) console.log(usage)
else await measure(values)
