// What `npm test` runs. The last line on stdout is always `N passed, N failed`.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import path from 'node:path'
import { buildLua } from './build-lua.mjs'
import { buildPages } from './build-pages.mjs'
import { endedBy, run, tool } from './child.mjs'
import { chromium, prometheus, promtool, redisServer } from './programs.mjs'
import { installPackages } from './setup.mjs'

const minute = 60_000

/** Apart from the tests. No two of them write the same files, so they run two at a time. */
const checks = [
  { name: 'packages', command: process.execPath, args: ['scripts/check-packages.mjs'] },
  { name: 'types', command: tool('tsc'), args: ['-p', 'tsconfig.check.json'] },
  { name: 'lint', command: tool('biome'), args: ['ci', '--error-on-warnings', '--colors=off'] },
  { name: 'lua', command: process.execPath, args: ['scripts/check-lua.mjs'] },
  { name: 'knip', command: tool('knip'), args: ['--no-progress', '--no-config-hints'] },
]

/** Everything, or with flags only the tests that they choose. Answers the exit code. */
export async function test(flags) {
  // Every step gets this as its folder for temporary files: what a killed one leaves behind goes too.
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-'))
  try {
    try {
      installPackages()
      redisServer()
      if (flags.length === 0) for (const find of [chromium, prometheus, promtool]) find()
      buildLua()
      buildPages()
    } catch (error) {
      console.error(error.message)
      return close([{ name: 'set-up', passed: 0, failed: 1 }])
    }
    if (flags.length > 0) return close([await runTests(folder, flags, { foreground: true })])
    console.log('tests:')
    const results = [
      await runTests(folder, ['--selectProjects', 'unit', 'redis', 'adapters', 'examples', 'docs']),
    ]
    // Alone: they hold deadlines against the wall clock, and a busy machine would miss them.
    results.push({
      ...(await runTests(folder, ['--selectProjects', 'outage', '--runInBand'])),
      name: 'outages',
    })
    results.push({
      ...(await runTests(folder, ['--selectProjects', 'browser', '--runInBand'])),
      name: 'browser',
    })
    const waiting = [...checks]
    const lane = async () => {
      for (let check = waiting.shift(); check && !endedBy(); check = waiting.shift()) {
        results.push(await runCheck(folder, check))
      }
    }
    await Promise.all([lane(), lane()])
    console.log('')
    for (const { name, failed, seconds } of results) {
      console.log(`${failed === 0 ? 'ok    ' : 'not ok'}  ${name.padEnd(8)}  ${seconds.toFixed(1)} s`)
    }
    return close(results)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runTests(folder, flags, { foreground = false } = {}) {
  rmSync(path.join(folder, 'counts.json'), { force: true })
  const counts = path.join(folder, 'counts.json')
  const { code, seconds, timedOut } = await run(tool('jest'), flags, {
    env: { TMPDIR: folder, SLUICE_TEST_COUNTS: counts },
    foreground,
    timeoutMs: foreground ? 0 : 20 * minute,
  })
  if (timedOut) console.log('jest did not end within 20 minutes.')
  const { passed, failed } = existsSync(counts)
    ? JSON.parse(readFileSync(counts, 'utf8'))
    : { passed: 0, failed: 0 }
  // It can fail without a failed test: it found none, it crashed, or it hung after the last one.
  return { name: 'tests', passed, failed: code !== 0 && failed === 0 ? 1 : failed, seconds }
}

async function runCheck(folder, { name, command, args }) {
  const env = { TMPDIR: folder, NO_COLOR: '1' }
  const { code, output, seconds, timedOut } = await run(command, args, {
    env,
    capture: true,
    timeoutMs: 10 * minute,
  })
  const verdict =
    code === 0 ? 'ok' : timedOut ? 'did not end within 10 minutes' : `failed with exit code ${code}`
  console.log(`\n${name}: ${verdict} (${seconds.toFixed(1)} s)\n${output.trimEnd()}`.trimEnd())
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds }
}

function close(results) {
  const sum = (field) => results.reduce((total, result) => total + result[field], 0)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  if (endedBy()) return 128 + constants.signals[endedBy()]
  return sum('failed') === 0 ? 0 : 1
}
