import { UsageError } from '../exit-code.ts'
import { clientsPerLoop } from './plan.ts'
import { type CrowdTest, crowdTests, testsNamed } from './tests.ts'
import { readWhere, type Where, type WhereFlags } from './where.ts'
import { count } from './words.ts'

/** The options as parsed by commander. */
export interface Flags extends WhereFlags {
  readonly seconds?: string
  readonly only?: readonly string[]
  readonly json?: true
}

export interface Settings {
  readonly loops: number
  readonly allowed: number
  /** Length of one test. */
  readonly seconds: number
  readonly tests: readonly CrowdTest[]
  readonly where: Where
  readonly json: boolean
}

export const bounds = {
  allowed: 100_000,
  /** The most requests of all tests together. */
  requests: 200_000,
  seconds: 600,
  /** The longest time of one test: the endpoint limits a run to 600 s, which includes time for late requests. */
  testSeconds: 580,
}

/** A little more than two windows; all tests then fit into the five minutes that the dashboard shows. */
export const usualSeconds = 21

/** The settings if no numbers are given. */
export const example: Pick<Settings, 'loops' | 'allowed' | 'seconds' | 'tests'> = {
  loops: 40,
  allowed: 30,
  seconds: 12,
  tests: testsNamed(['log', 'gang', 'pair']),
}

/** Throws a UsageError for invalid options. */
export function readSettings(loops: string | undefined, allowed: string | undefined, flags: Flags): Settings {
  if (loops !== undefined && allowed === undefined)
    throw new UsageError("missing required argument 'allowed': how many operations to allow per 10 seconds")
  const usual = loops === undefined ? example : { ...example, seconds: usualSeconds, tests: crowdTests }
  const { seconds, only } = flags
  const settings: Settings = {
    loops: loops === undefined ? usual.loops : whole(loops, 'LOOPS', bounds.requests / clientsPerLoop),
    allowed: allowed === undefined ? usual.allowed : whole(allowed, 'ALLOWED', bounds.allowed),
    seconds: seconds === undefined ? usual.seconds : whole(seconds, '--seconds', bounds.testSeconds),
    tests: only === undefined ? usual.tests : testsNamed(only),
    where: readWhere(flags),
    json: flags.json === true,
  }
  checkLoad(settings)
  return settings
}

/** Requests sent in 10 s of a test, or in the whole of a shorter one. */
export function offeredInWindow({ loops, seconds }: Pick<Settings, 'loops' | 'seconds'>): number {
  return Math.round((loops * clientsPerLoop * 10) / Math.max(10, seconds))
}

function checkLoad({ loops, seconds, tests: { length } }: Settings): void {
  const requests = loops * clientsPerLoop * length
  const most = `for ${length === 1 ? '1 test' : `${length} tests`}`
  if (requests > bounds.requests)
    throw new UsageError(
      `LOOPS: expected at most ${count(Math.floor(bounds.requests / clientsPerLoop / length))} ${most} (${count(bounds.requests)} requests in all), got ${count(loops)}`,
    )
  if (seconds * length > bounds.seconds)
    throw new UsageError(
      `--seconds: expected at most ${Math.floor(bounds.seconds / length)} ${most} (${bounds.seconds} s in all), got ${seconds}`,
    )
}

function whole(text: string, name: string, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= most) return value
  throw new UsageError(
    `${name}: expected a whole number from 1 to ${count(most)}, got ${JSON.stringify(text)}`,
  )
}
