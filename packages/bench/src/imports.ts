import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Laps, type Pace, shuffled } from './rounds.ts'
import { type Section, sectionOf } from './section.ts'

const run = promisify(execFile)

const packages = [
  '@sluice/core',
  '@sluice/express',
  'express-rate-limit',
  'rate-limiter-flexible',
  '@upstash/ratelimit',
] as const

const ways = { import: 'import', require: 'require' } as const

/** What loading a package costs a process that has just started, in turns: each round loads each package once. */
export async function* imports({ rounds }: Pace): AsyncGenerator<Section> {
  for (const way of [ways.import, ways.require]) {
    const laps = packages.map((name): Laps & { values: number[] } => ({ name, values: [] }))
    for (let round = 0; round < rounds; round++) {
      for (const { name, values } of shuffled(laps)) values.push(await loadingMs(name, way))
    }
    const title = `CPU time of \`${way}\` in a new process`
    yield sectionOf({ id: `load-${way}`, title, unit: 'ms', ratiosTo: ['express-rate-limit'] }, laps)
  }
}

async function loadingMs(name: string, way: keyof typeof ways): Promise<number> {
  const program = fileURLToPath(new URL('import-child.js', import.meta.url))
  const { stdout } = await run(process.execPath, [program, name, way])
  return Number(stdout)
}
