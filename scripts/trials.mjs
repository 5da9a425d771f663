// What `npm run test:trials` runs: the steps that take long, or wait for a real outage, a browser or another runtime.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { packed } from './packed.mjs'
import { installRuntimes, root } from './setup.mjs'
import { close, runChecks, runProjects, setUp, simulation } from './steps.mjs'

/** Checks, each of which is a program of Node with its arguments. */
const checked = (programs) => ({
  programs: ['redisServer'],
  checks: Object.entries(programs).map(([name, args]) => ({ name, command: process.execPath, args })),
})
/** A project of jest.config.mjs of that name. */
const tested = (name, programs, ...flags) => ({ projects: [name], isOwn: true, programs, flags })
/** Node 22 and 24, Bun, Deno and workerd, which npm brings. */
const onRuntimes = (step) => ({ ...step, hasRuntimes: true })
/** From the packages as they are packed: once, before several would begin to. */
const fromPacked = (step) => ({ ...step, isPacked: true })
/** What waits more than it computes, and holds deadlines against the wall clock, which more at once would make it miss. */
const mostlyWaiting = '--maxWorkers=3'
/** Browsers, runtimes and builds, which take a core each. */
const wholePrograms = '--maxWorkers=2'

/** By their names, in the order in which they run: first what jest runs, then the checks, two at a time. */
const steps = {
  stores: tested('stores', ['redisServer']),
  properties: { projects: ['unit', 'redis', 'postgres'], programs: ['redisServer', 'postgres'] },
  platforms: tested('platforms', []),
  outage: tested('outage', ['redisServer', 'nginx', 'prometheus', 'promtool'], mostlyWaiting),
  browser: tested('browser', ['redisServer', 'chromium'], wholePrograms),
  runtimes: onRuntimes(tested('runtimes', ['redisServer'], wholePrograms)),
  // What a new user sets out to do.
  tasks: fromPacked(onRuntimes(tested('tasks', ['redisServer'], wholePrograms))),
  simulation: checked({
    // Seeds that were not played before.
    simulation: simulation(['--from', 'now', '--minutes', '1']),
    // Whether the histories that are kept notice what they are kept for.
    'kept histories': simulation(['--kept'], 'faults/main.ts'),
  }),
  // With the oldest TypeScript that their READMEs name.
  oldest: fromPacked(checked({ oldest: ['scripts/check-packages.mjs', '--oldest'] })),
  // Whether the tests of the libraries that we stand in for still run.
  suites: fromPacked(checked({ suites: ['packages/compat/suites/all.mjs'] })),
  // Everything that a release does but the publishing.
  release: checked({ release: ['scripts/release.mjs', '--dry-run', '--out', 'node_modules/.release'] }),
}

/** The files of all packages' tests, below `packages`. */
export function testFiles() {
  const packages = path.join(root, 'packages')
  return readdirSync(packages)
    .map((name) => path.join(name, 'test'))
    .filter((tests) => existsSync(path.join(packages, tests)))
    .flatMap((tests) =>
      readdirSync(path.join(packages, tests), { recursive: true }).map((file) => path.join(tests, file)),
    )
    .filter((file) => file.endsWith('.test.ts'))
}

/** jest's flag for the files of whose random runs `npm test` plays the first: those that ask for more than the usual hundred. */
export function ofFilesWithProperties() {
  const random = /numRuns|from '(@sluice\/conformance\b.*|.*\/run-page\.ts)'/
  const textOf = (file) => readFileSync(path.join(root, 'packages', file), 'utf8')
  return `--testPathPatterns=${testFiles()
    .filter((file) => random.test(textOf(file)))
    .join('|')}`
}

/** The projects that `npm test` leaves to the trials. */
export const trialProjects = Object.values(steps).flatMap(({ projects, isOwn }) => (isOwn ? projects : []))

/**
 * What runs together, as each alone would leave a core idle until its longest file is over. The files of `stores` and `platforms` are all
 * among those with properties.
 */
const together = [['stores', 'properties', 'platforms'], ['outage'], ['browser', 'runtimes', 'tasks']]

async function runTests(names, run) {
  for (const group of together) {
    const chosen = group.filter((name) => names.includes(name))
    if (chosen.length === 0) continue
    const flags = [...new Set(chosen.flatMap((name) => steps[name].flags ?? []))]
    if (chosen.includes('properties')) flags.push(ofFilesWithProperties())
    await runProjects(
      chosen.join(', '),
      chosen.flatMap((name) => steps[name].projects),
      run,
      ...flags,
    )
  }
}

/** All steps, or those that are named. Answers the exit code. */
export function trials(names) {
  return close(async (run) => {
    for (const name of names) if (!Object.hasOwn(steps, name)) throw new Error(unknown(name))
    const chosen = Object.keys(steps).filter((name) => names.length === 0 || names.includes(name))
    await setUp(chosen.flatMap((name) => steps[name].programs))
    if (chosen.some((name) => steps[name].hasRuntimes)) installRuntimes()
    // All histories, of which `npm test` plays some.
    process.env.SLUICE_TEST_HISTORIES = 'all'
    if (chosen.some((name) => steps[name].isPacked)) await packed()
    await runTests(chosen, run)
    const checks = chosen.flatMap((name) => steps[name].checks ?? [])
    if (checks.length > 0) await runChecks(checks, run)
  })
}

function unknown(name) {
  const known = Object.keys(steps).join(', ')
  return `"${name}" is no step of the trials; there are ${known}. A single test: npm test -- WORDS`
}
