import type { Policy } from '@sluice/core'
import fc from 'fast-check'

/** A request that was let through, and its units without those that were given back. */
export interface Admission {
  readonly atUs: number
  readonly cost: number
  /** It had reserved. */
  readonly waited?: boolean
}

/** One limit of a policy, counted as slowly and as plainly as can be: by going over every admission that there ever was. */
export interface Rule {
  readonly limit: number
  fits(admissions: readonly Admission[], atUs: number, cost: number): boolean
}

/** A policy, and what is known of it without its code. */
export interface Sample {
  readonly policy: Policy
  /** The same strategy with other numbers, for calls on the same key. */
  readonly other: Policy
  /** Still others, for every second of those calls. @default other */
  readonly third?: Policy
  /** How far apart requests are worth being: a window, an interval. */
  readonly spanUs: number
  /** The largest cost worth asking. */
  readonly capacity: number
  /** What the calls say in turns, where their notes matter. @default nothing */
  readonly notes?: readonly (string | undefined)[]
  /** The shortest window first; none where the rules do not give the whole row. */
  readonly rules: readonly Rule[]
  /** Any cost counts as one request. */
  readonly countsRequests?: true
  /** What is taken is under way until it is given back, as a whole. */
  readonly inFlight?: true
  /** Longest that a reservation waits; left out: there is none. */
  readonly debtUs?: number
  /** Longest that `penalize` and `raise` reach into the future; left out: there is no `raise`. */
  readonly raisableUs?: number
  /** What the strategy promises of every history, as the first breach of it. */
  breach(admissions: readonly Admission[]): string | undefined
}

export interface Samples {
  readonly strategy: string
  /** No sample has rules. */
  readonly withoutOracle?: true
  readonly samples: fc.Arbitrary<Sample>
}

/** Windows of a few µs, where instants collide, and of lengths that people use. */
export const spans: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: 2, max: 40 }),
  fc.constantFrom(1000, 500_000, 1_500_000, 10_000_000, 3_600_000_000),
)
/** 0 refuses all. */
export const limits: fc.Arbitrary<number> = fc.integer({ min: 0, max: 8 })

export function sumWhere(admissions: readonly Admission[], counts: (atUs: number) => boolean): number {
  return admissions.reduce((sum, { atUs, cost }) => (counts(atUs) ? sum + cost : sum), 0)
}

/** More than so many in some half-open span of a window? */
export function overIn(admissions: readonly Admission[], windowUs: number, most: number): string | undefined {
  for (const { atUs: endUs } of admissions) {
    const sum = sumWhere(admissions, (atUs) => atUs > endUs - windowUs && atUs <= endUs)
    if (sum > most) return `${sum} in the ${windowUs} µs up to ${endUs}, of ${most}`
  }
  return undefined
}

/**
 * More than `capacity` and what a rate of `units` in `perUs` adds, in some closed span? Where the rate is no whole number of µs a
 * reservation's instant has been rounded up: `roundsUp`.
 */
export function overRate(
  admissions: readonly Admission[],
  about: { capacity: number; units: number; perUs: number; roundsUp?: true },
): string | undefined {
  const { capacity, units, perUs, roundsUp = false } = about
  for (const [first, { atUs: startUs, waited: startWaited }] of admissions.entries()) {
    let sum = 0
    for (const { atUs, cost, waited } of admissions.slice(first)) {
      sum += cost
      const rounded = roundsUp && (waited === true || startWaited === true)
      const spanUs = atUs - startUs + (rounded ? 1 : 0)
      if (BigInt(sum - capacity) * BigInt(perUs) <= BigInt(units) * BigInt(spanUs)) continue
      return `${sum} from ${startUs} to ${atUs}, of ${capacity} and ${units} each ${perUs} µs`
    }
  }
  return undefined
}

/** The so many-th of the notes that calls of a policy may have. */
export function noteOf({ notes = [] }: Sample, nth: number): string | undefined {
  return notes[nth % Math.max(1, notes.length)]
}
