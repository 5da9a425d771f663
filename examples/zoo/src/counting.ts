import type { Decider, Limiter, LimiterSettings, Verdict } from '@sluice/core'
import type { Limits } from '@sluice/limits'
import type { Attraction } from './attractions.ts'
import type { Order } from './order.ts'

/** How much of an attraction is left, and what it goes by. */
export interface Count {
  readonly strategy: string
  readonly rule: string
  /** Whose chart it is: everybody's limit, as the dashboard calls it; null: there is none. */
  readonly row: { readonly limiter: string; readonly policy: string } | null
  /** null: there is no limit. 0: nobody gets in. */
  readonly limit: number | null
  /** null: there is no limit. */
  readonly left: number | null
  /** null: there is a ticket now, or never one. */
  readonly againInMs: number | null
  readonly allFreeInMs: number
  /** null: no visitor was named, or visitors have no limit of their own here. `againInMs` is null, too, where waiting never helps. */
  readonly visitor: { readonly mayBuy: boolean; readonly againInMs: number | null } | null
}

/** Counts the orders of one attraction: a limiter whose question is an order. */
export interface Counter extends Decider<Order> {
  /** Looks and takes nothing. `source` tells who counts. */
  look(visitor: string | null): Promise<{ readonly count: Count; readonly source: string }>
}

/** A way to count; it knows where the limits come from. */
export interface Counting {
  counterOf(attraction: Attraction): Counter
  /** All that counts, for a dashboard. */
  limiters(): readonly (Limiter | Limits)[]
  /** The store was passed in, and stays open. */
  close(): Promise<void>
}

/** What every way of counting hands on to its limiters. */
export type CountingSettings = Pick<LimiterSettings, 'store' | 'logger' | 'observers'>

/** The numbers of everybody's limit. */
export function leftOf(verdict: Verdict): Pick<Count, 'limit' | 'left' | 'againInMs' | 'allFreeInMs'> {
  const { limit, remaining: left, retryAfterMs: againInMs, resetAfterMs: allFreeInMs } = verdict
  return { limit, left, againInMs, allFreeInMs }
}
