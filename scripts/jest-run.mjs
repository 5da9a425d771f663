import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { run } from './child.mjs'
import { root } from './setup.mjs'
import { nothing, verdict } from './verdict.cjs'

const lookEveryMs = 250
/** Its workers are started alike. Tests leave much garbage, and little of it lives for long: a tenth of the time goes by it. */
const jest = ['--max-semi-space-size=32', path.join(root, 'node_modules/jest/bin/jest.js')]

/**
 * Runs jest with these flags: `{ passed, failed, notPassed, seconds }`, and on stdout a sentence for each fault that no
 * test shows. Its files for the time being go into `folder`. Each of `projects` must have run tests.
 *
 * It is ended when `signal` aborts, whose reason says why, and `lingerMs` after its last test, because a handle that a test
 * has left open would keep it alive for ever.
 */
export async function runJest(
  flags,
  { folder, cwd = root, projects, foreground = false, signal, lingerMs = 15_000 },
) {
  const file = path.join(folder, 'counts.json')
  rmSync(file, { force: true })
  const lingered = new AbortController()
  const end = AbortSignal.any(signal === undefined ? [lingered.signal] : [lingered.signal, signal])
  let lingering
  const looking = setInterval(() => {
    const { over, mayLinger } = read(file)
    if (!over || mayLinger || lingering) return
    const what = `did not end within ${lingerMs / 1000} s of its last test, which has left something open`
    lingering = setTimeout(() => lingered.abort(what), lingerMs)
  }, lookEveryMs)
  const env = { TMPDIR: folder, SLUICE_TEST_COUNTS: file }
  const { code, seconds, killed } = await run(process.execPath, [...jest, ...flags], {
    cwd,
    env,
    foreground,
    signal: end,
  })
  for (const timer of [lingering, looking]) clearTimeout(timer)
  if (killed) console.log(`\njest ${end.reason}`)
  const counts = read(file)
  const { passed, failed, wrong } = verdict(counts, { code, projects })
  for (const sentence of wrong) console.log(sentence)
  return { passed, failed, notPassed: counts.notPassed, seconds }
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : nothing
}
