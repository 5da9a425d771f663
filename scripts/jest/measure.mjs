// What test files take of the processor, for `npm run test:times`. Only Linux counts processes that have ended.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../setup.mjs'

const notes = process.env.SLUICE_TEST_TIMES
const ticksPerSecond = 100

/** Begins to measure a test file; the function that it answers ends that. */
export function measured(project, testPath) {
  const file = path.relative(root, testPath)
  // A test may run copies of others.
  if (notes === undefined || file.startsWith('..')) return () => {}
  const atStart = secondsOf('self')
  return () => note({ project, file, seconds: secondsOf('self') - atStart })
}

/** Notes what a server has taken that the files of a project share. */
export function noteServer(project, name, pid) {
  if (notes !== undefined) note({ project, file: `(${name})`, seconds: secondsOf(pid) })
}

function note(entry) {
  appendFileSync(notes, `${JSON.stringify(entry)}\n`)
}

/** What a process has taken, with those that it has started and that have ended. */
function secondsOf(pid) {
  const stat = `/proc/${pid}/stat`
  if (!existsSync(stat)) return process.cpuUsage().user / 1e6
  // Behind the name, which may have blanks: user, system, and both once more for the children.
  const ticks = readFileSync(stat, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 15)
  return ticks.reduce((sum, each) => sum + Number(each), 0) / ticksPerSecond
}
