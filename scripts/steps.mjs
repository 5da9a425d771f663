// The steps of `npm test` and of the trials, and their counts. The last line on stdout is always `N passed, N failed`.
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import path from 'node:path'
import { buildLua } from './build-lua.mjs'
import { buildPages } from './build-pages.mjs'
import { endedBy, run } from './child.mjs'
import { runJest } from './jest-run.mjs'
import { installPackages } from './setup.mjs'

const minute = 60_000
/** Jest keeps something of each file: with a heap beyond this a worker computes several times slower, and is replaced. */
const fullWorker = '--workerIdleMemoryLimit=1GB'

/** How to run what package.json calls `simulate`, or another program of its folder. */
export function simulation(flags, program = 'main.ts') {
  // Each history leaves much garbage, and little of it lives for long.
  return [
    '--max-semi-space-size=32',
    '--conditions=sluice-source',
    '--import',
    'tsx',
    `packages/simulation/src/${program}`,
    ...flags,
  ]
}

/** `programs`: names of programs.mjs. */
export async function setUp(programs) {
  const finding = run(process.execPath, ['scripts/find-programs.mjs', ...programs])
  installPackages()
  const { code } = await finding
  if (code !== 0) throw new Error('The tests need a program that is not there; what is missing stands above.')
  buildLua()
  buildPages()
}

export async function runProjects(name, these, { folder, results }, ...flags) {
  if (endedBy()) return
  console.log(`\n${name}:`)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort('did not end within 20 minutes'), 20 * minute)
  const chosen = ['--selectProjects', ...these, ...flags, fullWorker]
  results.push({ ...(await runJest(chosen, { folder, projects: these, signal: late.signal })), name })
  clearTimeout(timer)
}

/** Two at a time: no two of them write the same files. */
export async function runChecks(checks, { folder, results }) {
  const waiting = [...checks]
  const lane = async () => {
    for (let check = waiting.shift(); check && !endedBy(); check = waiting.shift()) {
      results.push(await runCheck(folder, check))
    }
  }
  await Promise.all([lane(), lane()])
}

async function runCheck(folder, { name, command, args, priority }) {
  const env = { TMPDIR: folder, NO_COLOR: '1' }
  const { code, output, seconds, killed } = await run(command, args, {
    env,
    capture: true,
    priority,
    signal: AbortSignal.timeout(10 * minute),
  })
  const verdict =
    code === 0 ? 'ok' : killed ? 'did not end within 10 minutes' : `failed with exit code ${code}`
  console.log(`\n${name}: ${verdict} (${seconds.toFixed(1)} s)\n${output.trimEnd()}`.trimEnd())
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds }
}

/** Runs the steps, and always ends with the counts of all of them. Answers the exit code. */
export async function close(steps) {
  const results = []
  let folder
  try {
    // Every step gets this as its temporary folder, so that leftovers of a killed step are removed too.
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-'))
    await steps({ folder, results })
  } catch (error) {
    console.error(error.message)
    results.push({ name: 'set-up', passed: 0, failed: 1 })
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  // A test may have printed an unfinished line.
  console.log('')
  for (const { name, failed, seconds } of results) {
    if (seconds !== undefined)
      console.log(`${failed === 0 ? 'ok    ' : 'not ok'}  ${name.padEnd(9)}  ${seconds.toFixed(1)} s`)
  }
  for (const line of results.flatMap(({ notPassed = [] }) => notPassed)) console.log(line)
  const sum = (field) => results.reduce((total, result) => total + result[field], 0)
  const [passed, failed] = [sum('passed'), sum('failed')]
  // Ended before its first step: nothing has failed, and nothing has been tested.
  const ended = endedBy() !== null && failed === 0 ? 1 : 0
  console.log(`${passed} passed, ${failed + ended} failed`)
  if (endedBy()) return 128 + constants.signals[endedBy()]
  return failed === 0 ? 0 : 1
}
