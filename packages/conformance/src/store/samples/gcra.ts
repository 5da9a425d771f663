import { gcra } from '@sluice/core'
import fc from 'fast-check'
import { limits, overRate, type Rule, type Sample, type Samples } from './sample.ts'
import { withSpans } from './short-spans.ts'

/** Every admission pushes the theoretical arrival time on by its cost. */
function rule(capacity: number, intervalUs: number): Rule {
  return {
    limit: capacity,
    fits(admissions, atUs, cost) {
      let tatUs = 0
      for (const each of [...admissions, { atUs, cost }])
        tatUs = Math.max(tatUs, each.atUs) + each.cost * intervalUs
      return tatUs <= atUs + capacity * intervalUs
    },
  }
}

const rates = fc.record({
  count: limits,
  /** One unit's time; the period is a whole number of it, and where that stays within 0.5 % a few µs more. */
  intervalUs: fc.oneof(
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 400, max: 1000 }),
    fc.constant(1_500_000),
  ),
  burst: fc.nat(6),
  debtUs: fc.constantFrom(0, 11, 60_000_000),
})

export const gcraSamples: Samples = {
  strategy: 'gcra',
  samples: fc.tuple(rates, rates, fc.nat(1)).map(([own, other, more]) => {
    const { count, intervalUs, debtUs } = own
    const burst = count === 0 ? 0 : own.burst
    const capacity = count === 0 ? 0 : burst + 1
    // A debt of a few µs makes a policy whose spans are scaled, and those are not rounded.
    const extraUs = intervalUs < 400 || debtUs === 11 ? 0 : Math.max(0, Math.ceil(count / 2 - 1)) * more
    return {
      policy: withSpans((duration) =>
        gcra({
          count,
          period: duration(Math.max(1, count) * intervalUs + extraUs),
          burst,
          maxDebt: duration(debtUs),
        }),
      ),
      other: withSpans((duration) =>
        gcra({
          count: 1,
          period: duration(other.intervalUs),
          burst: other.burst,
          maxDebt: duration(other.debtUs),
        }),
      ),
      spanUs: (burst + 1) * intervalUs,
      capacity,
      debtUs,
      raisableUs: intervalUs + debtUs,
      rules: [rule(capacity, intervalUs)],
      breach: (admissions) => overRate(admissions, { capacity, units: 1, perUs: intervalUs }),
    }
  }),
}

/** Rates that let a key run far into debt, mostly by one unit after the other. */
export const busyRates: fc.Arbitrary<Sample> = fc
  .record({ intervalUs: fc.constantFrom(1, 30, 1000, 1_500_000), burst: fc.integer({ min: 20, max: 60 }) })
  .map(({ intervalUs, burst }) => {
    const of = (intervalUs: number) =>
      withSpans((duration) => gcra({ count: burst + 1, period: duration((burst + 1) * intervalUs) }))
    return {
      policy: of(intervalUs),
      other: of(intervalUs * 10),
      spanUs: 10 * intervalUs,
      capacity: 1,
      rules: [rule(burst + 1, intervalUs)],
      breach: (admissions) => overRate(admissions, { capacity: burst + 1, units: 1, perUs: intervalUs }),
    }
  })
