import { leakyBucket, type Policy, tokenBucket } from '@sluice/core'
import fc from 'fast-check'
import { limits, overRate, type Rule, type Sample, type Samples, spans } from './sample.ts'
import { withSpans } from './short-spans.ts'

interface Numbers {
  readonly capacity: number
  readonly count: number
  readonly periodUs: number
  readonly debtUs: number
}

const numbers: fc.Arbitrary<Numbers> = fc.record({
  capacity: limits,
  count: limits,
  periodUs: spans,
  debtUs: fc.constantFrom(0, 11, 60_000_000),
})

/** The level in units of one part in `periodUs`, of which `count` drain each µs. */
function rule({ capacity, count, periodUs }: Numbers): Rule {
  return {
    limit: capacity,
    fits(admissions, atUs, cost) {
      let level = 0n
      let lastUs = 0
      for (const each of [...admissions, { atUs, cost }]) {
        const drained = level - BigInt(each.atUs - lastUs) * BigInt(count)
        level = (drained > 0n ? drained : 0n) + BigInt(each.cost) * BigInt(periodUs)
        lastUs = each.atUs
      }
      return level <= BigInt(capacity) * BigInt(periodUs)
    },
  }
}

interface Options {
  readonly capacity: number
  readonly count: number
  readonly period: number
  readonly maxDebt: number
}

/** Without a rate nothing passes at all. */
function inForce(numbers: Numbers): Numbers {
  return numbers.count === 0 ? { ...numbers, capacity: 0, count: 1 } : numbers
}

function sampleOf(make: (options: Options) => Policy, full: boolean): fc.Arbitrary<Sample> {
  const policyOf = ({ capacity, count, periodUs, debtUs }: Numbers) =>
    withSpans((duration) => make({ capacity, count, period: duration(periodUs), maxDebt: duration(debtUs) }))
  return fc
    .tuple(numbers, numbers)
    .map(([asked, other]) => ({ asked, own: inForce(asked), other }))
    .map(({ asked, own, other }) => ({
      policy: policyOf(asked),
      other: policyOf(other),
      spanUs: Math.ceil((own.capacity * own.periodUs) / own.count),
      capacity: own.capacity,
      debtUs: own.debtUs,
      raisableUs: Math.ceil(own.periodUs / own.count) + own.debtUs,
      // What was in a bucket that started empty depends on when it was first refused, which no admission shows.
      rules: full ? [rule(own)] : [],
      breach: (admissions) =>
        overRate(admissions, {
          capacity: own.capacity,
          units: own.count,
          perUs: own.periodUs,
          roundsUp: true,
        }),
    }))
}

export const tokenBucketSamples: Samples = {
  strategy: 'tokenBucket',
  samples: fc.oneof(
    sampleOf(tokenBucket, true),
    sampleOf((options) => tokenBucket({ ...options, start: 'empty' }), false),
  ),
}

export const leakyBucketSamples: Samples = { strategy: 'leakyBucket', samples: sampleOf(leakyBucket, true) }
