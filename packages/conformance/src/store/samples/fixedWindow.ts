import { attributedWindow, fixedWindow, type Policy } from '@sluice/core'
import fc from 'fast-check'
import { type Admission, limits, overIn, type Rule, type Sample, type Samples, spans } from './sample.ts'
import { withSpans } from './short-spans.ts'

interface Options {
  readonly limit: number
  readonly window: number
  readonly start: 'first-hit' | 'clock'
}

/** Walks through the windows that the admissions have opened, one after another. */
function rule(limit: number, windowUs: number, aligned: boolean): Rule {
  const endOf = (atUs: number) => (aligned ? (Math.floor(atUs / windowUs) + 1) * windowUs : atUs + windowUs)
  return {
    limit,
    fits(admissions, atUs, cost) {
      let endUs = 0
      let count = 0
      for (const each of [...admissions, { atUs, cost }]) {
        if (each.atUs >= endUs) {
          endUs = endOf(each.atUs)
          count = 0
        }
        count += each.cost
      }
      return count <= limit
    },
  }
}

function breach(admissions: readonly Admission[], limit: number, windowUs: number): string | undefined {
  return overIn(admissions, windowUs, 2 * limit)
}

function sampleOf(
  make: (options: Options) => Policy,
  start: fc.Arbitrary<Options['start']>,
): fc.Arbitrary<Sample> {
  return fc
    .record({ limit: limits, spanUs: spans, otherLimit: limits, otherUs: spans, start })
    .map(({ limit, spanUs, otherLimit, otherUs, start }) => ({
      policy: withSpans((duration) => make({ limit, window: duration(spanUs), start })),
      other: withSpans((duration) => make({ limit: otherLimit, window: duration(otherUs), start })),
      spanUs,
      capacity: limit,
      rules: [rule(limit, spanUs, start === 'clock')],
      breach: (admissions) => breach(admissions, limit, spanUs),
    }))
}

export const fixedWindowSamples: Samples = {
  strategy: 'fixedWindow',
  samples: sampleOf(fixedWindow, fc.constantFrom('first-hit', 'clock')),
}

export const attributedWindowSamples: Samples = {
  strategy: 'attributedWindow',
  samples: sampleOf(({ limit, window }) => attributedWindow({ limit, window }), fc.constant('first-hit')),
}
