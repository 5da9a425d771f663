// What `npm test` runs.
import jestConfig from '../jest.config.mjs'
import { tool } from './child.mjs'
import { withPathsApart } from './flags.mjs'
import { runJest } from './jest-run.mjs'
import { close, runChecks, runProjects, setUp, simulation } from './steps.mjs'
import { trialProjects } from './trials.mjs'

/** The tests of packed packages need it. */
const pack = { name: 'pack', command: process.execPath, args: ['scripts/pack.mjs'] }
/** Quick checks that fail most often. */
const early = [
  { name: 'types', command: tool('tsc'), args: ['-p', '.', '--checkers', '1'] },
  // As the build asks of them: a type for each export.
  { name: 'exports', command: tool('tsc'), args: ['-p', 'tsconfig.sources.json'] },
  { name: 'lint', command: tool('biome'), args: ['ci', '--error-on-warnings', '--colors=off'] },
  { name: 'lua', command: process.execPath, args: ['scripts/check-lua.mjs'] },
  { name: 'knip', command: tool('knip'), args: ['--no-progress', '--no-config-hints'] },
]
const late = [
  // Outages in virtual time, by fixed seeds.
  { name: 'simulation', command: process.execPath, args: simulation(['--fixed']) },
  { name: 'packages', command: process.execPath, args: ['scripts/check-packages.mjs'] },
]

const projects = jestConfig.projects.map(({ displayName }) => displayName)
const quick = projects.filter((name) => !trialProjects.includes(name))

/** What needs no outage, no browser and no other runtime, or with flags only the tests that they choose. Answers the exit code. */
export function test(flags) {
  // The compiler and esbuild are programs of Go, and collect their garbage too often for what ends soon: a tenth of the compiler's time.
  process.env.GOGC ??= '300'
  return close(async (run) => {
    await setUp(['redisServer', 'postgres', 'prometheus', 'promtool'])
    if (flags.length > 0) return runChosen(flags, run)
    const packed = runChecks([pack], run)
    const tests = packed.then(() => runProjects('tests', quick, run))
    // Beside the tests, which leave cores idle while they wait, and at their end.
    const checks = Promise.all([packed, runChecks(early, run)]).then(() => runChecks(late, run))
    await Promise.all([tests, checks])
  })
}

async function runChosen(asked, { folder, results }) {
  const { flags, paths } = withPathsApart(asked, projects)
  for (const word of paths) console.log(`"${word}" names no project: it is taken as a part of paths.`)
  results.push({ ...(await runJest(flags, { folder, foreground: true })), name: 'tests' })
}
