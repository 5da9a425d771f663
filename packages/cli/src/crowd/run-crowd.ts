import { Failure } from './failure.ts'
import { runTest, type Setting } from './run-test.ts'
import type { TestResult } from './test-result.ts'
import type { CrowdTest } from './tests.ts'

export interface Seen {
  readonly results: readonly TestResult[]
  /** Why it could not go on. */
  readonly failure: string | null
  readonly interrupted: boolean
}

/** All tests in turn, up to what ends them. */
export async function runCrowd(tests: readonly CrowdTest[], setting: Setting): Promise<Seen> {
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
