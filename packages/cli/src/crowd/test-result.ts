import type { Figures } from './tally.ts'

/** The result of one test. */
export interface TestResult extends Figures {
  readonly name: string
  readonly about: string
  readonly rule: string
  /** The most that its policies allow in 10 s, a gate's shadow policy for the allowance included; null if they have no such bound. */
  readonly bound: number | null
  /** Requests not sent in time, because the load was too high or the test was ended. */
  readonly unsent: number
  /** Admitted in the last 10 s, one value per step. */
  readonly inWindow: { readonly stepMs: number; readonly values: readonly number[] }
}
