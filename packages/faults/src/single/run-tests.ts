import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Guard } from './guarded.ts'

/** What jest says of a run. */
interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

export interface Outcome {
  /** The tests that have failed. */
  readonly failed: readonly string[]
  /** Why files have not run at all, or not to their end. */
  readonly broken: readonly string[]
}

/** Those of `npm test` that do without packed packages. */
const projects = ['unit', 'redis', 'postgres', 'adapters', 'examples', 'docs']
const longestMs = 600_000
const inOrder = path.join(import.meta.dirname, 'in-order.cjs')

let running: ChildProcess | undefined

/** Ends the tests that run, with all that they have started. */
export function endTests(): void {
  if (running?.pid === undefined) return
  try {
    process.kill(-running.pid, 'SIGKILL')
  } catch {
    // They have already ended.
  }
}

/** Runs these test files, one after the other, until one of them fails. */
export async function runTests(folder: string, { tests: files, named }: Guard): Promise<Outcome> {
  const temporary = path.join(folder, '.tmp')
  const report = path.join(temporary, 'report.json')
  mkdirSync(temporary, { recursive: true })
  rmSync(report, { force: true })
  const said = ['--silent', '--json', `--outputFile=${report}`]
  const how = ['--maxWorkers=1', '--bail', '--forceExit', `--testSequencer=${inOrder}`]
  const which = named === undefined ? [] : ['--testNamePattern', named]
  const args = ['node_modules/jest/bin/jest.js', '--runTestsByPath', ...files, ...said, ...how, ...which]
  running = spawn(process.execPath, [...args, '--selectProjects', ...projects], {
    cwd: folder,
    env: { ...process.env, TMPDIR: temporary, FAULT_TESTS: files.join('\n') },
    stdio: ['ignore', 'ignore', 'pipe'],
    // The leader of a group, so that nothing it has started outlives it.
    detached: true,
  })
  const errors = await ended(running)
  running = undefined
  if (existsSync(report)) return read(JSON.parse(readFileSync(report, 'utf8')))
  return { failed: [], broken: [errors] }
}

/** What it has said on stderr. */
function ended(child: ChildProcess): Promise<string> {
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  const timer = setTimeout(() => {
    said += `\nended after ${longestMs / 1000} s`
    endTests()
  }, longestMs)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      resolve(said)
    })
  })
}

function read({ testResults }: Report): Outcome {
  const failed = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  )
  const broken = testResults
    .filter(({ assertionResults, message }) => assertionResults.length === 0 && message !== '')
    .map(({ name, message }) => `${path.basename(name)}: ${message}`)
  return { failed, broken }
}
