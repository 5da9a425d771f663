import { type Asked, baseOf, baseRow, ofOthers, ofSluice } from './asking/rows.ts'
import type { Bench } from './bench.ts'
import { inChild } from './child.ts'
import { disturbed } from './rounds.ts'
import type { Section } from './section.ts'
import { type Lane, raceLanes, type Shown, sectionOfTurns } from './turns.ts'

/** Of one check. */
export interface Figures {
  readonly cpuUs: number
  readonly elapsedUs: number
}

export const coldId = 'cold'
/** How many checks of a process are its first ones, and how many are measured in all. */
const [first, all] = [100, 1000]

export const coldColumns = { cpu: 'of INCR, CPU', time: 'of INCR, time' }

type Figure = 'cpuUs' | 'perCpuSecond' | 'perSecond' | 'firstCpuUs' | 'firstPerCpuSecond'

const of = () => baseRow.redis
const shown: readonly Shown<Figure>[] = [
  { name: 'CPU µs', figure: 'cpuUs', places: 0 },
  { name: coldColumns.cpu, figure: 'perCpuSecond', places: 2, of },
  { name: coldColumns.time, figure: 'perSecond', places: 2, of },
  { name: `CPU µs, first ${first}`, figure: 'firstCpuUs', places: 0 },
  { name: `of INCR, CPU, first ${first}`, figure: 'firstPerCpuSecond', places: 2, of },
]

/** The first checks of a new process through Redis, one at a time, once its limiter is ready: each turn is a process of its own. */
export async function* coldSections({ url, client, pace: { rounds } }: Bench): AsyncGenerator<Section> {
  const about = { keys: all, client: 'ioredis' } as const
  const asked = [baseOf(about), ...ofSluice(about), ...ofOthers(about).filter(isCounter)]
  const lanes = asked.map((each) => laneOf(each, { url, client }))
  const title = `The first ${all.toLocaleString('en-US')} checks of a process`
  // A turn takes half a second.
  const turns = await raceLanes(lanes, { rounds: Math.max(9, Math.ceil(rounds / 2)) })
  yield sectionOfTurns({ id: coldId, title, shown }, turns)
}

/** The two that most applications have beside Redis. */
function isCounter({ name }: Asked): boolean {
  return name === 'rate-limiter-flexible' || name === 'express-rate-limit'
}

function laneOf(
  { name, library, work: { strategy } }: Asked,
  { url, client }: Pick<Bench, 'url' | 'client'>,
): Lane<Figure> {
  return {
    name,
    async turn() {
      await client.flushall()
      const text = await inChild('cold-child.js', [library, strategy, url, String(first), String(all)])
      const { took, wrong } = JSON.parse(text) as { took: readonly Figures[]; wrong: number } // what the child prints
      const [early, whole] = took
      if (wrong > 0 || early === undefined || whole === undefined)
        throw disturbed(`${name}: not every answer was right.`)
      return {
        cpuUs: whole.cpuUs,
        perCpuSecond: 1e6 / whole.cpuUs,
        perSecond: 1e6 / whole.elapsedUs,
        firstCpuUs: early.cpuUs,
        firstPerCpuSecond: 1e6 / early.cpuUs,
      }
    },
  }
}
