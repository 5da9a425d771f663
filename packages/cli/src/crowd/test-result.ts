import type { Figures } from './tally.ts'

/** What one test came to. */
export interface TestResult extends Figures {
  readonly name: string
  readonly title: string
  readonly rule: string
  /** Did not set out in time: the load was more than could be sent, or the test was ended. */
  readonly unsent: number
  /** Admitted in the last 10 s, at instants so far apart. */
  readonly inWindow: { readonly stepMs: number; readonly values: readonly number[] }
}
