import { slidingWindowCounter } from '@sluice/core'
import fc from 'fast-check'
import { limits, overIn, type Rule, type Samples, spans, sumWhere } from './sample.ts'
import { withSpans } from './short-spans.ts'

/** This window's units, and the last one's by the share of it that still overlaps: in fractions, without rounding. */
function rule(limit: number, windowUs: number): Rule {
  return {
    limit,
    fits(admissions, atUs, cost) {
      const startUs = Math.floor(atUs / windowUs) * windowUs
      const count = sumWhere(admissions, (us) => us >= startUs)
      const previous = sumWhere(admissions, (us) => us >= startUs - windowUs && us < startUs)
      const overlapUs = startUs + windowUs - atUs
      return BigInt(previous) * BigInt(overlapUs) <= BigInt(limit - count - cost) * BigInt(windowUs)
    },
  }
}

export const slidingWindowCounterSamples: Samples = {
  strategy: 'slidingWindowCounter',
  samples: fc
    .record({ limit: limits, spanUs: spans, otherLimit: limits, otherUs: spans })
    .map(({ limit, spanUs, otherLimit, otherUs }) => ({
      policy: withSpans((duration) => slidingWindowCounter({ limit, window: duration(spanUs) })),
      other: withSpans((duration) => slidingWindowCounter({ limit: otherLimit, window: duration(otherUs) })),
      spanUs,
      capacity: limit,
      rules: [rule(limit, spanUs)],
      breach: (admissions) => overIn(admissions, spanUs, 2 * limit - 1),
    })),
}
