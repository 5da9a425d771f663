import { createLimiter, type Limiter, type NotApplicable, notApplicable, type Policies } from '@sluice/core'
import type { Attraction } from './attractions.ts'
import { chartOf } from './chart.ts'
import { type Counter, type Counting, type CountingSettings, leftOf, windowIn } from './counting.ts'

/** Counts with the policies in attractions.ts: one limiter per attraction. */
export function countByPolicies(settings: CountingSettings): Counting {
  const limiters: Limiter<Policies>[] = []
  return {
    counterOf(attraction) {
      const limiter = createLimiter({ ...settings, name: attraction.id, policies: attraction.policies })
      limiters.push(limiter)
      return counterOf(attraction, limiter)
    },
    limiters: () => limiters,
    async close() {
      for (const limiter of limiters) await limiter.close()
    },
  }
}

function counterOf(
  { id, strategy, rule, policies, price = 1, inParts, maxWait }: Attraction,
  limiter: Limiter<Policies>,
): Counter {
  /** All visitors share one key; if the attraction also limits visitors, each has a second one. */
  function keys(visitor: string | null): { readonly [policy: string]: string | NotApplicable } {
    return policies.visitor === undefined
      ? { attraction: id }
      : { attraction: id, visitor: visitor ?? notApplicable }
  }
  const { attraction: everybodys } = policies
  const rows = { limiter: id, policy: 'attraction', gates: '' }
  const chart = everybodys === undefined ? null : chartOf(rows, everybodys)
  return {
    limiter,
    maxWait,
    // Two tickets count twice for the attraction; for the visitor's gate they are one purchase.
    questionOf: ({ visitor, quantity }) => ({
      key: keys(visitor),
      cost: { attraction: quantity * price },
      note: visitor,
      ...(inParts && { take: 'up-to' }),
    }),
    async look(visitor) {
      const decision = await limiter.peek(keys(visitor), { note: visitor ?? undefined })
      const { attraction = decision, visitor: own } = decision.verdicts
      const gate = own === undefined ? null : { mayBuy: own.allowed, againInMs: own.retryAfterMs }
      const left = leftOf(attraction)
      const inWindow = windowIn(rule, left.limit)
      const count = { strategy, rule, chart, ...left, inWindow, visitor: gate }
      return { count, source: decision.source }
    },
  }
}
