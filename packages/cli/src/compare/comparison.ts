import type { Choice } from './client/choice.ts'
import type { Suggestions } from './suggest/suggestion.ts'

/** The results of one log, or of generated traffic, under several policies. Plain data: `--json` prints it and pages draw it. */
export interface Comparison {
  readonly input: Input
  readonly timeline: Timeline
  /** In the order of the command line. */
  readonly results: readonly Result[]
  /** null if not requested; the policies that were found are also among the results. */
  readonly suggestions: Suggestions | null
}

/** Facts about the traffic, independent of policies. */
export interface Input {
  /** Names of files, `standard input`, or a description of the generated traffic. */
  readonly source: string
  /** What identifies a client: `ip`, `user`, `field:tenant`. */
  readonly clientBy: string
  readonly requests: number
  /** Units requested: equal to `requests` if no cost is given. */
  readonly units: number
  /** The number of distinct clients, at most a million. */
  readonly clients: number
  /** Requests of clients beyond the first million, which are not in the numbers per client. */
  readonly requestsOfOthers: number
  /** Unix time of the first and the last request in ms; 0 if there is none. */
  readonly fromMs: number
  readonly toMs: number
  readonly requestsPerSecond: number
  /** The most requests in any one second. */
  readonly peak: Span
  /** Clients whose busiest minute was calmest: `busiestMinute` requests at most in any minute. null for fewer than 20 clients. */
  readonly wellBehaved: Calm | null
  /** Networks (/24, /48) of several clients that sent a large part of all requests, at most three. */
  readonly networks: readonly Network[]
  /** null where no log was read. */
  readonly log: LogFacts | null
}

/** Clients of one network together. */
export interface Network {
  /** `203.0.113.0/24`, `2001:db8:7::/48` */
  readonly network: string
  readonly clients: number
  readonly requests: number
}

interface Calm {
  readonly clients: number
  readonly busiestMinute: number
}

export interface LogFacts {
  /** Lines that are not empty. */
  readonly lines: number
  readonly malformed: number
  /** The first line that could not be read, shortened for display. */
  readonly firstMalformed: {
    readonly source: string
    readonly line: number
    readonly text: string
    readonly reason: string
  } | null
  /** Lines so far out of order that they got the time of the lines before them. */
  readonly movedOn: number
  /** Requests without the client or key, such as a user: left out. */
  readonly withoutKey: number
  /** The field that most of these lack, and those that the first of them has. */
  readonly lacking: { readonly field: string; readonly has: readonly string[] } | null
  /** Lines that tell of something else than a request, such as the end of one: left out. */
  readonly others: number
  /** What was taken for the client in each log; several for a log where lines of several formats are mixed. */
  readonly clients: readonly (Choice & { readonly source: string })[]
}

/** The largest number in any span of one length. */
interface Span {
  readonly count: number
  /** Unix time in ms at which that span ends: the time of its last request. */
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
  /** Refused share of all requests: 0 to 1. */
  readonly refusedShare: number
  /** Clients that were refused at least once. */
  readonly clientsRefused: number
}

/** The result of one policy, or of one file of limits. */
export interface Result extends Outcome {
  /** As on the command line: `gcra:100/1m`, `limits.yaml`. */
  readonly text: string
  /** `sliding window log`. */
  readonly title: string
  /** `100 in 10 s`. */
  readonly rule: string
  /** What it counts by: `ip`, `everybody`; for a file its path, `user/{user}`. */
  readonly keyedBy: string
  /** Well-behaved clients that were refused at least once; 0 where none are known. */
  readonly wellBehavedRefused: number
  /** Whether more than a million keys were needed at a time, so that some were dropped and too many requests were admitted. */
  readonly keysForgotten: boolean
  /** The clients with the most refusals, at most 20, the most refused first. */
  readonly refusedClients: readonly RefusedClient[]
  /** Networks (/24, /48) of which several clients were refused, and how many requests, at most 20. */
  readonly refusedNetworks: readonly Network[]
  /** The most requests admitted in any one second, of all clients together. */
  readonly worstSecond: Span
  /** null for a file of limits, which has no single window. */
  readonly worstWindow: WorstWindow | null
  /** The same with half its numbers, or a file with all times doubled. null if that is impossible, such as half of 1. */
  readonly tighter: Variant | null
  /** The same with twice its numbers, or a file with all times halved. null if that exceeds what the strategy can count. */
  readonly looser: Variant | null
  /** For a file: the limits that refused, those with the most refusals first. */
  readonly refusedBy: readonly { readonly level: string; readonly refused: number }[]
  /** Requests per step of the timeline. */
  readonly admittedOverTime: readonly number[]
  readonly refusedOverTime: readonly number[]
  /** Per step of the timeline: the most units of one key in a window that ends in it. null if `worstWindow` is. */
  readonly windowOverTime: readonly number[] | null
}

export interface RefusedClient {
  readonly client: string
  readonly offered: number
  readonly refused: number
}

/** The most units that one key got in any span as long as the policy's window. */
export interface WorstWindow extends Span {
  readonly key: string
  readonly windowMs: number
  /** What the policy allows in that span; null if it has no such bound. */
  readonly most: number | null
  /** Whether the beginning of a window was dropped because it had too many requests: the count may be too low. */
  readonly atLeast: boolean
}

/** A policy with other numbers. */
export interface Variant extends Outcome {
  readonly text: string
  readonly rule: string
}
