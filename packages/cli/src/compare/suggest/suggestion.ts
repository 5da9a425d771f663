import type { Group } from '../well-behaved.ts'

/** Numbers that hardly any well-behaved client would have reached. Plain data, like the whole comparison. */
export interface Suggestions {
  /** Share of the well-behaved clients that may be refused at least once: 0.01 for `--suggest 1%`. */
  readonly mostRefused: number
  /** Share of all clients that counts as well-behaved: those whose busiest minute was calmest. */
  readonly wellBehavedShare: number
  /** The most requests that a well-behaved client sent in any minute. */
  readonly busiestMinute: number
  readonly wellBehaved: Group
  readonly others: Group
  readonly found: readonly Suggestion[]
  /** Policies for which no numbers refuse few enough. */
  readonly notFound: readonly string[]
}

/** The tightest numbers of one strategy that refuse few enough. */
export interface Suggestion {
  /** As `--policy` takes it: `gcra:30/1m,burst=11`. */
  readonly text: string
  /** For a program: `gcra({ count: 30, period: '1m', burst: 11 })`. */
  readonly code: string
  /** For a file of limits: `{ strategy: gcra, count: 30, period: 1m, burst: 11 }`. */
  readonly yaml: string
  readonly wellBehaved: Refusals
  readonly others: Refusals
}

export interface Refusals {
  /** Clients refused at least once. */
  readonly clients: number
  readonly requests: number
}
