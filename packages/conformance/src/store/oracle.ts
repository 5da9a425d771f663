import type { StoreRow } from '@sluice/core'
import type { Admission, Rule, Sample } from './samples/sample.ts'

type Answer = Pick<StoreRow, 'allowed' | 'reason' | 'limit' | 'remaining' | 'retryAfterUs' | 'resetAfterUs'>

/** The first µs at which something holds that, once it holds, goes on holding. */
export function firstUs(holds: (afterUs: number) => boolean): number {
  let high = 1
  while (!holds(high)) high *= 2
  let low = -1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}

/** The largest number of units that fits. */
function room({ limit, fits }: Rule, admissions: readonly Admission[], atUs: number): number {
  let units = 0
  while (units < limit && fits(admissions, atUs, units + 1)) units++
  return units
}

/** Answers by what the words mean: it knows no strategy, only whether one more request fits, and tries. */
export class Oracle {
  readonly admissions: Admission[] = []
  readonly #sample: Sample

  constructor(sample: Sample) {
    this.#sample = sample
  }

  answer(atUs: number, cost: number, take: boolean): Answer {
    const { rules, countsRequests } = this.#sample
    const failing = cost === 0 ? [] : rules.filter((rule) => !rule.fits(this.admissions, atUs, cost))
    if (failing.length > 0) return this.#refusal(failing, { atUs, cost })
    if (take && cost > 0) this.admissions.push({ atUs, cost: countsRequests === true ? 1 : cost })
    const left = rules.map((rule) => ({ limit: rule.limit, remaining: room(rule, this.admissions, atUs) }))
    // The window with the least left, the longer one of two.
    const least = left.reduce((a, b) => (b.remaining <= a.remaining ? b : a))
    return { allowed: true, reason: null, ...least, retryAfterUs: 0, resetAfterUs: this.#resetUs(atUs) }
  }

  #refusal(failing: readonly Rule[], { atUs, cost }: { atUs: number; cost: number }): Answer {
    const { rules, countsRequests } = this.#sample
    const never = countsRequests !== true && rules.some(({ limit }) => cost > limit)
    // What costs more than ever fits waits, as far as the oracle knows, for the window to be empty.
    const waits = failing.map((rule) => {
      const wanted = Math.min(cost, rule.limit)
      return { rule, waitUs: firstUs((afterUs) => rule.fits(this.admissions, atUs + afterUs, wanted)) }
    })
    const longest = waits.reduce((a, b) => (b.waitUs >= a.waitUs ? b : a))
    return {
      allowed: false,
      reason: never ? 'too-costly' : 'limited',
      limit: longest.rule.limit,
      remaining: room(longest.rule, this.admissions, atUs),
      retryAfterUs: never ? -1 : longest.waitUs,
      resetAfterUs: this.#resetUs(atUs),
    }
  }

  /** As good as new: from then on all that the limit says fits, in every window. */
  #resetUs(atUs: number): number {
    if (this.admissions.length === 0) return 0
    return firstUs((afterUs) =>
      this.#sample.rules.every((rule) => rule.fits(this.admissions, atUs + afterUs, rule.limit)),
    )
  }
}
