import { writeSync } from 'node:fs'
import { expect } from 'expect'

/** What became of one test. */
export interface Result {
  readonly title: string
  readonly status: 'passed' | 'failed' | 'skipped'
  readonly error?: string
}

interface Test {
  readonly title: string
  /** undefined: skipped. */
  readonly run: (() => unknown) | undefined
}

const tests: Test[] = []

export function describe(_about: string, declare: () => void): void {
  declare()
}

interface It {
  (title: string, run: () => unknown): void
  skip(title: string): void
}

/** As jest's own, as far as scenarios need it: tests are run by `runAll`. */
export const it: It = Object.assign(
  (title: string, run: () => unknown) => {
    tests.push({ title, run })
  },
  {
    skip: (title: string) => {
      tests.push({ title, run: undefined })
    },
  },
)

const before: (() => unknown)[] = []
const after: (() => unknown)[] = []

/** Before the first of all tests. */
export function beforeAll(run: () => unknown): void {
  before.push(run)
}

/** After the last of all tests. */
export function afterAll(run: () => unknown): void {
  after.push(run)
}

type Fake = (...values: unknown[]) => unknown

interface Spy {
  mockImplementation(fake: Fake): void
  mockRestore(): void
}

export const jest = {
  spyOn(object: Record<string, Fake>, name: string): Spy {
    const own = object[name] as Fake // a spy stands for a function
    return {
      mockImplementation: (fake) => {
        object[name] = fake
      },
      mockRestore: () => {
        object[name] = own
      },
    }
  },
}

export { expect }

const scenarioMs = 45_000

function said(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? String(thrown)) : String(thrown)
}

/** Fails also by what nobody has caught meanwhile, and by taking too long. */
async function run(test: () => unknown): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let fail: (error: unknown) => void = () => {}
  const failure = new Promise<never>((_, reject) => {
    fail = reject
    timer = setTimeout(() => reject(new Error(`not over after ${scenarioMs} ms`)), scenarioMs)
  })
  process.on('unhandledRejection', fail)
  process.on('uncaughtException', fail)
  try {
    await Promise.race([test(), failure])
  } finally {
    clearTimeout(timer)
    process.off('unhandledRejection', fail)
    process.off('uncaughtException', fail)
  }
}

async function resultOf({ title, run: test }: Test): Promise<Result> {
  if (test === undefined) return { title, status: 'skipped' }
  try {
    await run(test)
    return { title, status: 'passed' }
  } catch (thrown) {
    return { title, status: 'failed', error: said(thrown) }
  }
}

/** Runs all tests, one after another, and prints each result on a line of its own. */
export async function runAll(): Promise<void> {
  for (const begin of before) await begin()
  for (const test of tests) writeSync(1, `${JSON.stringify(await resultOf(test))}\n`)
  for (const end of after) await end()
  process.exit(0)
}
