// What `npm run test:trials` runs: the steps that take long, or wait for a real outage, a browser or another runtime.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { installRuntimes, root } from './setup.mjs'
import { close, runChecks, runProjects, setUp, simulation } from './steps.mjs'

/** Checks, each of which is a program of Node with its arguments. */
const checked = (programs) => ({
  programs: ['redisServer'],
  work: (run) =>
    runChecks(
      Object.entries(programs).map(([name, args]) => ({ name, command: process.execPath, args })),
      run,
    ),
})
/** One project of jest.config.mjs. */
const tested = (name, programs, ...flags) => ({
  project: name,
  programs,
  work: (run) => runProjects(name, [name], run, ...flags),
})
/** Node 22 and 24, Bun, Deno and workerd, which npm brings. */
const onRuntimes = (step) => ({ ...step, hasRuntimes: true })
/** What holds deadlines against the wall clock, which a busy machine would miss, or starts whole runtimes: each runs alone. */
const alone = '--maxWorkers=1'

/** By their names, in the order in which they run. */
const steps = {
  stores: tested('stores', ['redisServer']),
  properties: {
    programs: ['redisServer', 'postgres'],
    work: (run) => runProjects('properties', ['unit', 'redis', 'postgres'], run, ofFilesWithProperties()),
  },
  platforms: tested('platforms', []),
  outage: tested('outage', ['redisServer', 'nginx', 'prometheus', 'promtool'], alone),
  simulation: checked({
    // Seeds that were not played before.
    simulation: simulation(['--from', 'now', '--minutes', '3']),
    // Whether the histories that are kept notice what they are kept for.
    'kept histories': simulation(['--kept'], 'faults/main.ts'),
  }),
  browser: tested('browser', ['redisServer', 'chromium'], alone),
  runtimes: onRuntimes(tested('runtimes', ['redisServer'], alone)),
  // What a new user sets out to do, from the packages as they are packed.
  tasks: onRuntimes(tested('tasks', ['redisServer'], alone)),
  // The packed packages with the oldest TypeScript that their READMEs name.
  oldest: checked({ oldest: ['scripts/check-packages.mjs', '--oldest'] }),
  // Whether the tests of the libraries that we stand in for still run.
  suites: checked({ suites: ['packages/compat/suites/all.mjs'] }),
  // Everything that a release does but the publishing.
  release: checked({ release: ['scripts/release.mjs', '--dry-run', '--out', 'node_modules/.release'] }),
}

/** jest's flag for the files of whose random runs `npm test` plays the first. */
function ofFilesWithProperties() {
  const tests = path.join(root, 'packages')
  const random = /from '(fast-check|@sluice\/conformance\b.*|.*\/run-page\.ts)'/
  const files = readdirSync(tests, { recursive: true })
    .filter((file) => /^[^/]+\/test\/.*\.test\.ts$/.test(file))
    .filter((file) => random.test(readFileSync(path.join(tests, file), 'utf8')))
  return `--testPathPatterns=${files.join('|')}`
}

/** The projects that `npm test` leaves to the trials. */
export const trialProjects = Object.values(steps).flatMap(({ project = [] }) => project)

/** All steps, or those that are named. Answers the exit code. */
export function trials(names) {
  return close(async (run) => {
    for (const name of names) if (!Object.hasOwn(steps, name)) throw new Error(unknown(name))
    const chosen = Object.keys(steps).filter((name) => names.length === 0 || names.includes(name))
    await setUp(chosen.flatMap((name) => steps[name].programs))
    if (chosen.some((name) => steps[name].hasRuntimes)) installRuntimes()
    // All histories, of which `npm test` plays some.
    process.env.SLUICE_TEST_HISTORIES = 'all'
    for (const name of chosen) await steps[name].work(run)
  })
}

function unknown(name) {
  const known = Object.keys(steps).join(', ')
  return `"${name}" is no step of the trials; there are ${known}. A single test: npm test -- WORDS`
}
