import type { Redis } from 'ioredis'
import type { Bench } from '../bench.ts'
import { Helper } from '../helper.ts'
import type { Section } from '../section.ts'
import { type Lane, raceLanes, type Shown, sectionOfTurns } from '../turns.ts'
import type { Asked, HotDuties } from './hot-child.ts'
import { type HotName, hotNames } from './hot-limiter.ts'
import { oneCheck } from './one-check.ts'

interface Figures {
  readonly perSecond: number
  /** Script calls for a thousand checks: takes, and what is given back. */
  readonly calls: number
  /** Of a hundred checks, those that did not wait for Redis. */
  readonly inHand: number
}

const processes = 4
const baseOf: Readonly<Record<string, string>> = {
  [hotNames.plain]: hotNames.plain,
  [hotNames.ahead]: hotNames.plain,
  [hotNames.plainGcra]: hotNames.plainGcra,
  [hotNames.aheadGcra]: hotNames.plainGcra,
}
const plainOf = (row: string) => baseOf[row] ?? row

/** Units must be taken and end several times in a turn. */
const leastTurnMs = 300

/** Four processes that ask for one key, with units ahead and without; then one check beside one in memory. */
export async function* aheadSections(bench: Bench): AsyncGenerator<Section> {
  const helpers = Array.from(
    { length: processes },
    () => new Helper<HotDuties>('ahead/hot-child.js', [bench.url]),
  )
  const ms = Math.max(leastTurnMs, bench.pace.turnMs)
  try {
    yield await hotKey(bench, {
      id: 'ahead-flood',
      title: `One hot key, ${processes} processes, 64 at once in each`,
      ask: (name) => Promise.all(helpers.map((helper) => helper.ask('flood', { name, ms, atOnce: 64 }))),
    })
    for (const perSecond of [500, 4000]) {
      yield await hotKey(bench, {
        id: `ahead-rate-${perSecond}`,
        title: `One hot key, ${processes} processes, ${perSecond.toLocaleString('en-US')} checks a second in each`,
        ask: (name) => Promise.all(helpers.map((helper) => helper.ask('arrive', { name, ms, perSecond }))),
      })
    }
  } finally {
    for (const helper of helpers) await helper.end()
    await bench.client.flushall()
  }
  yield await oneCheck(bench)
  await bench.client.flushall()
}

interface HotKey {
  readonly id: string
  readonly title: string
  ask(name: HotName): Promise<readonly Asked[]>
}

const shown: readonly Shown<keyof Figures>[] = [
  { name: 'a second', figure: 'perSecond', places: 0 },
  { name: 'of asking each time', figure: 'perSecond', places: 2, of: plainOf },
  { name: 'Redis calls per 1,000', figure: 'calls', places: 2 },
  { name: 'of those of asking each time', figure: 'calls', places: 4, of: plainOf },
  { name: '% from units in hand', figure: 'inHand', places: 1 },
]

async function hotKey({ client, pace }: Bench, { id, title, ask }: HotKey): Promise<Section> {
  const names = Object.keys(hotNames) as HotName[] // its own keys
  const lanes = names.map((name): Lane<keyof Figures> => {
    return {
      name: hotNames[name],
      async turn() {
        const before = await scriptCalls(client)
        const asked = await ask(name)
        const checks = sum(asked.map((each) => each.checks))
        const calls = ((await scriptCalls(client)) - before) * 1000
        const inHand = (100 * sum(asked.map((each) => each.inHand))) / checks
        return { perSecond: sum(asked.map((each) => each.perSecond)), calls: calls / checks, inHand }
      },
    }
  })
  for (const { turn } of lanes) await turn()
  const rounds = Math.ceil(pace.rounds / 2)
  return sectionOfTurns({ id, title, shown }, await raceLanes(lanes, { rounds }))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0)
}

async function scriptCalls(client: Redis): Promise<number> {
  const found = /^cmdstat_evalsha:calls=(\d+)/m.exec(await client.info('commandstats'))
  return Number(found?.[1] ?? 0)
}
