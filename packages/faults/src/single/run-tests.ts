import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Guard } from './guarded.ts'

/** What reporter.cjs writes. */
export interface Outcome {
  /** The tests that have failed. */
  readonly failed: readonly string[]
  /** Why files have not run at all, or not to their end. */
  readonly broken: readonly string[]
}

/** The jest projects that need no packed packages, no browser and no other runtimes. */
export const projects = [
  'unit',
  'redis',
  'postgres',
  'adapters',
  'platforms',
  'examples',
  'docs',
  'outage',
] as const
const longestMs = 600_000
const [inOrder, reporter] = ['in-order.cjs', 'reporter.cjs'].map((file) =>
  path.join(import.meta.dirname, file),
)

let running: ChildProcess | undefined

/** Ends the tests that run, with all that they have started. */
export function endTests(): void {
  if (running?.pid === undefined) return
  try {
    process.kill(-running.pid, 'SIGKILL')
  } catch {
    // The tests have already ended.
  }
}

/** Runs these test files, one after the other, until one of them fails. */
export async function runTests(folder: string, { tests: files, named }: Guard): Promise<Outcome> {
  const temporary = path.join(folder, '.tmp')
  const outcome = path.join(temporary, 'outcome.json')
  mkdirSync(temporary, { recursive: true })
  rmSync(outcome, { force: true })
  const args = ['node_modules/jest/bin/jest.js', '--runTestsByPath', ...files]
  const how = ['--maxWorkers=1', '--bail', '--forceExit', '--silent']
  const ours = [`--testSequencer=${inOrder}`, `--reporters=${reporter}`]
  const which = named === undefined ? [] : ['--testNamePattern', named]
  running = spawn(process.execPath, [...args, ...how, ...ours, ...which, '--selectProjects', ...projects], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary, FAULT_TESTS: files.join('\n'), FAULT_OUTCOME: outcome },
    stdio: ['ignore', 'ignore', 'pipe'],
    // The leader of a group, so that nothing it has started outlives it.
    detached: true,
  })
  const { said, late } = await ended(running)
  running = undefined
  const { failed, broken }: Outcome = existsSync(outcome)
    ? JSON.parse(readFileSync(outcome, 'utf8'))
    : { failed: [], broken: [said] }
  return late
    ? { failed, broken: [...broken, `they did not end within ${longestMs / 1000} s`] }
    : { failed, broken }
}

/** What a process has written to stderr, and whether it had to be ended. */
function ended(child: ChildProcess): Promise<{ readonly said: string; readonly late: boolean }> {
  let said = ''
  let late = false
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const timer = setTimeout(() => {
    late = true
    endTests()
  }, longestMs)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      resolve({ said, late })
    })
  })
}
