import { Failure } from './failure.ts'
import { runTest, type Setting } from './run-test.ts'
import type { TestResult } from './test-result.ts'
import type { CrowdTest } from './tests.ts'

export interface CrowdOutcome {
  readonly results: readonly TestResult[]
  /** Why it could not continue. */
  readonly failure: string | null
  readonly interrupted: boolean
}

/** Runs all tests in turn, until a failure or an interruption. */
export async function runCrowd(tests: readonly CrowdTest[], setting: Setting): Promise<CrowdOutcome> {
  const results: TestResult[] = []
  const { signal } = setting
  try {
    for (const test of tests) {
      if (signal.aborted) break
      const { result, failure } = await runTest(test, setting)
      results.push(result)
      if (failure !== null)
        return { results, failure: `the server has gone away (${failure})`, interrupted: false }
    }
    return { results, failure: null, interrupted: signal.aborted }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { results, failure: error.message, interrupted: signal.aborted }
  }
}
