import type { Suggestions } from './suggest/suggestion.ts'

/** What came of one log, or of made-up traffic, under several policies. Plain data: what `--json` prints and pages draw. */
export interface Comparison {
  readonly input: Input
  readonly timeline: Timeline
  /** In the order in which they were asked for. */
  readonly results: readonly Result[]
  /** null where none were asked for; the policies of those found are among the results, too. */
  readonly suggestions: Suggestions | null
}

/** The facts of the traffic, whatever the policies. */
export interface Input {
  /** Names of files, `standard input`, or the made-up traffic in words. */
  readonly source: string
  /** What a client is: `ip`, `user`, `field:tenant`. */
  readonly clientBy: string
  readonly requests: number
  /** Units asked for: `requests` where no cost is given. */
  readonly units: number
  /** Distinct ones, at most a million. */
  readonly clients: number
  /** Requests of clients beyond the first million, which are not told apart in what is said of clients. */
  readonly requestsOfOthers: number
  /** Unix time of the first and the last request in ms; 0 where there is none. */
  readonly fromMs: number
  readonly toMs: number
  readonly requestsPerSecond: number
  /** Most requests in any one second. */
  readonly peak: Span
  /** null where the traffic is made up. */
  readonly log: LogFacts | null
}

export interface LogFacts {
  /** Lines that are not empty. */
  readonly lines: number
  readonly malformed: number
  /** The first line that could not be read, cut to a length that can be shown. */
  readonly firstMalformed: {
    readonly source: string
    readonly line: number
    readonly text: string
    readonly reason: string
  } | null
  /** Lines so far out of order that their time was moved on to that of the lines before. */
  readonly movedOn: number
  /** Requests that have no such client, such as a user: left out. */
  readonly withoutKey: number
}

/** The greatest number in a span of one length. */
interface Span {
  readonly count: number
  /** Unix time in ms at which that span ends, which is when the last of them came. */
  readonly atMs: number
}

/** The time axis of all charts: at most 600 steps of equal length. */
export interface Timeline {
  /** Unix time in ms of the first step. */
  readonly fromMs: number
  readonly stepMs: number
  /** Requests per step. */
  readonly offered: readonly number[]
}

/** Requests admitted and refused. */
export interface Outcome {
  readonly admitted: number
  readonly refused: number
  /** Part of all requests that was refused: 0 to 1. */
  readonly refusedShare: number
  /** Clients that were refused at least once. */
  readonly clientsRefused: number
}

/** What one policy, or one file of limits, makes of the traffic. */
export interface Result extends Outcome {
  /** As it was asked for: `gcra:100/1m`, `limits.yaml`. */
  readonly text: string
  /** `sliding window log`. */
  readonly title: string
  /** `100 in 10 s`. */
  readonly rule: string
  /** Whose count it is: `ip`, `everybody`; of a file its path, `user/{user}`. */
  readonly keyedBy: string
  /** true: more than a million keys had to be kept at a time, so some were forgotten, and too many requests are admitted. */
  readonly keysForgotten: boolean
  /** The clients with most refusals, at most 20, the most refused first. */
  readonly refusedClients: readonly RefusedClient[]
  /** Most requests admitted in any one second, of all clients together. */
  readonly worstSecond: Span
  /** null where the policy has no one window to look at: a file of limits. */
  readonly worstWindow: WorstWindow | null
  /** The same with half its numbers; of a file with all times twice as long. null where there is none: half of 1. */
  readonly tighter: Variant | null
  /** The same with twice its numbers; of a file with all times half as long. null where the strategy cannot count so many. */
  readonly looser: Variant | null
  /** Of a file: the limits that refused, those with most refusals first. */
  readonly refusedBy: readonly { readonly level: string; readonly refused: number }[]
  /** Requests per step of the timeline. */
  readonly admittedOverTime: readonly number[]
  readonly refusedOverTime: readonly number[]
  /** Per step of the timeline: most units that one key had got in a window that ends in it. null where `worstWindow` is. */
  readonly windowOverTime: readonly number[] | null
}

export interface RefusedClient {
  readonly client: string
  readonly offered: number
  readonly refused: number
}

/** Most units that one key got in any span as long as the policy's window. */
export interface WorstWindow extends Span {
  readonly key: string
  readonly windowMs: number
  /** What the policy promises for that span; null where it promises none. */
  readonly most: number | null
  /** true: so much came in a window that its beginning was forgotten, and the count may be too low. */
  readonly atLeast: boolean
}

/** A policy with other numbers. */
export interface Variant extends Outcome {
  readonly text: string
  readonly rule: string
}
