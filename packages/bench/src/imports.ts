import type { Bench } from './bench.ts'
import { inChild } from './child.ts'
import { type Laps, shuffled } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

const packages = [
  '@sluice/core',
  '@sluice/express',
  'express-rate-limit',
  'rate-limiter-flexible',
  '@upstash/ratelimit',
] as const

const ways = { import: 'import', require: 'require' } as const

/** What loading a package costs a process that has just started, in turns: each round loads each package once. */
export async function* imports({ pace: { rounds } }: Bench): AsyncGenerator<Section> {
  for (const way of [ways.import, ways.require]) {
    const laps = packages.map((name): Laps & { values: number[] } => ({ name, values: [] }))
    for (let round = 0; round < rounds; round++) {
      for (const { name, values } of shuffled(laps))
        values.push(Number(await inChild('import-child.js', [name, way])))
    }
    const title = `CPU time of \`${way}\` in a new process`
    yield sectionOf({ id: `load-${way}`, title, unit: 'ms', ratiosTo: ['express-rate-limit'] }, laps)
  }
}
