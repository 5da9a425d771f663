import type { Clock, Decision } from '@sluice/core'
import type { Request } from './request.ts'

/** A policy or a file of limits to replay traffic through. */
export interface Candidate {
  /** The candidate as it was written on the command line. */
  readonly text: string
  readonly title: string
  readonly rule: string
  /** The span in which the most units of one key are searched for; null if there is none. */
  readonly window: { readonly us: number; readonly most: number | null } | null
  /** Opens a limiter in memory, with that clock. */
  open(clock: Clock): Promise<Opened>
}

export interface Opened {
  /** Decides at once; the promise only matches the limiter's interface. */
  ask(request: Request): Promise<Decision>
  /** The number of keys in memory now. */
  keys(): number
  close(): Promise<void>
}

/** A candidate with its half and its double. */
export interface Contender {
  /** What the candidate counts by: `ip`, `everybody`; for a file its path. */
  readonly keyedBy: string
  readonly candidate: Candidate
  readonly tighter: Candidate | null
  readonly looser: Candidate | null
}

/** The most keys in memory. Beyond it, keys that would be admitted now are dropped. */
export const maxKeys = 1_000_000

/** A logger that drops warnings, which concern running services. */
export const silent: { warn(): void; error(): void } = { warn() {}, error() {} }
