import type {
  Decider,
  Duration,
  Limiter,
  LimiterSettings,
  NotApplicable,
  PerPolicy,
  Policies,
  Verdict,
} from '@sluice/core'
import type { Limits } from '@sluice/limits'
import type { Attraction } from './attractions.ts'
import type { Chart } from './chart.ts'
import type { Order } from './order.ts'

/** How many tickets of an attraction are left, and its rule. */
export interface Count {
  readonly strategy: string
  readonly rule: string
  /** What the chart shows: the limit for everybody; null if there is none. */
  readonly chart: Chart | null
  /** null if there is no limit; 0 if the attraction is closed. */
  readonly limit: number | null
  /** null if there is no limit. */
  readonly left: number | null
  /** The window that these are of, such as `15 s`, where the limit has several; otherwise null. */
  readonly inWindow: string | null
  /** null if there is a ticket now, or never. */
  readonly againInMs: number | null
  readonly allFreeInMs: number
  /** null if no visitor was named, or visitors have no own limit here. `againInMs` is also null if waiting never helps. */
  readonly visitor: { readonly mayBuy: boolean; readonly againInMs: number | null } | null
}

/** The keys of several policies, or a path. */
type OrderKey = { readonly [policy: string]: string | NotApplicable } | readonly string[]

/** What a limiter is asked about an order. */
export interface Question {
  readonly key: OrderKey
  readonly cost: PerPolicy<string, number>
  readonly note: string
  /** As many tickets as there are. */
  readonly take?: 'up-to'
}

/** Counts the orders of one attraction. */
export interface Counter {
  readonly limiter: Decider<OrderKey>
  /** How long an order waits for its turn. @default it does not wait */
  readonly maxWait?: Duration | undefined
  questionOf(order: Order): Question
  /** Looks without charging. `source`: where counts come from. */
  look(visitor: string | null): Promise<{ readonly count: Count; readonly source: string }>
}

/** A way to count, from policies or from a file. */
export interface Counting {
  counterOf(attraction: Attraction): Counter
  /** All limiters, for a dashboard. */
  limiters(): readonly (Limiter<Policies> | Limits)[]
  /** The store was passed in, and stays open. */
  close(): Promise<void>
}

/** Settings for all limiters. */
export type CountingSettings = Pick<LimiterSettings, 'store' | 'logger' | 'observers' | 'lists'>

/** The numbers of the limit for everybody. */
export function leftOf(verdict: Verdict): Pick<Count, 'limit' | 'left' | 'againInMs' | 'allFreeInMs'> {
  const { limit, remaining: left, retryAfterMs: againInMs, resetAfterMs: allFreeInMs } = verdict
  return { limit, left, againInMs, allFreeInMs }
}

/** `15 s` of the limit 140 in `20 per 1 s, 100 per 10 s, 140 per 15 s`; null for a rule with one window. */
export function windowIn(rule: string, limit: number | null): string | null {
  const windows = [...rule.matchAll(/(\d+) per (\d+ \w+)/g)]
  if (windows.length < 2) return null
  return windows.find(([, most]) => Number(most) === limit)?.[2] ?? null
}
