// What `npm run test:trials` runs: the steps that take long, or wait for a real outage, a browser or another runtime.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { packed } from './packed.mjs'
import { installRuntimes, root } from './setup.mjs'
import { close, runChecks, runProjects, setUp, simulation } from './steps.mjs'

/** Checks, each of which is a program of Node with its arguments. */
const checked = (programs, priority) => ({
  programs: ['redisServer'],
  checks: Object.entries(programs).map(([name, args]) => ({
    name,
    command: process.execPath,
    args,
    priority,
  })),
})
/** They get what is left of the processor beside outages, which are waited for. */
const computed = (programs) => checked(programs, constants.priority.PRIORITY_LOW)
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

/** By their names: what jest runs, and checks. */
const steps = {
  stores: tested('stores', ['redisServer']),
  properties: { projects: ['unit', 'redis', 'postgres'], programs: ['redisServer', 'postgres'] },
  platforms: tested('platforms', []),
  outage: tested('outage', ['redisServer', 'nginx', 'prometheus', 'promtool'], mostlyWaiting),
  browser: tested('browser', ['redisServer', 'chromium'], wholePrograms),
  runtimes: onRuntimes(tested('runtimes', ['redisServer'], wholePrograms)),
  // What a new user sets out to do.
  tasks: fromPacked(onRuntimes(tested('tasks', ['redisServer'], wholePrograms))),
  simulation: computed({
    // Seeds that were not played before.
    simulation: simulation(['--from', 'now']),
    // Whether the histories that are kept notice what they are kept for.
    'kept histories': simulation(['--kept'], 'faults/main.ts'),
  }),
  // With the oldest TypeScript that their READMEs name.
  oldest: fromPacked(computed({ oldest: ['scripts/check-packages.mjs', '--oldest'] })),
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
const together = [
  ['stores', 'properties', 'platforms'],
  ['outage', 'simulation', 'oldest'],
  ['browser', 'runtimes', 'tasks'],
  ['suites', 'release'],
]

async function runTests(names, run) {
  if (names.length === 0) return
  const flags = [...new Set(names.flatMap((name) => steps[name].flags ?? []))]
  if (names.includes('properties')) flags.push(ofFilesWithProperties())
  const projects = names.flatMap((name) => steps[name].projects)
  await runProjects(names.join(', '), projects, run, ...flags)
}

async function runGroup(names, run) {
  const tests = names.filter((name) => steps[name].projects !== undefined)
  const checks = names.flatMap((name) => steps[name].checks ?? [])
  await Promise.all([runTests(tests, run), runChecks(checks, run)])
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
    for (const group of together) {
      const names = chosen.filter((name) => group.includes(name))
      await runGroup(names, run)
    }
  })
}

function unknown(name) {
  const known = Object.keys(steps).join(', ')
  return `"${name}" is no step of the trials; there are ${known}. A single test: npm test -- WORDS`
}
