import type { Clock, Decision } from '@sluice/core'
import type { Request } from './request.ts'

/** Something that decides, to be tried on traffic: a policy, or a file of limits. */
export interface Candidate {
  /** As it was asked for. */
  readonly text: string
  readonly title: string
  readonly rule: string
  /** The span in which the most of one key is looked for; null where there is no such one. */
  readonly window: { readonly us: number; readonly most: number | null } | null
  /** A limiter of its own in memory, on that clock. */
  open(clock: Clock): Promise<Opened>
}

export interface Opened {
  /** Decides at once; the promise is the public form of the answer. */
  ask(request: Request): Promise<Decision>
  /** How many keys are kept now. */
  keys(): number
  close(): Promise<void>
}

/** A candidate between its half and its double. */
export interface Contender {
  /** Whose count it keeps: `ip`, `everybody`; of a file its path. */
  readonly keyedBy: string
  readonly candidate: Candidate
  readonly tighter: Candidate | null
  readonly looser: Candidate | null
}

/** Keys kept at a time. Beyond it those are forgotten that would be admitted now. */
export const mostKeys = 1_000_000

/** Warnings are for those who run a service. */
export const silent: { warn(): void; error(): void } = { warn() {}, error() {} }
