/** Numbers that well-behaved clients would hardly have met. Plain data, as all of a comparison. */
export interface Suggestions {
  /** Part of the well-behaved clients that may have been refused at least once: 0.01 of `--suggest 1%`. */
  readonly mostRefused: number
  /** Part of all clients that counts as well-behaved: those whose busiest minute was calmest. */
  readonly wellBehavedShare: number
  /** Most requests that a well-behaved client sent in any minute. */
  readonly busiestMinute: number
  readonly wellBehaved: Group
  readonly others: Group
  readonly found: readonly Suggestion[]
  /** Policies for whose strategy and times no numbers refuse so few. */
  readonly notFound: readonly string[]
}

export interface Group {
  readonly clients: number
  readonly requests: number
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
