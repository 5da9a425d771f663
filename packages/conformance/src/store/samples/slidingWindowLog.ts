import { slidingWindowLog } from '@sluice/core'
import fc from 'fast-check'
import { limits, overIn, type Samples, spans, sumWhere } from './sample.ts'
import { withSpans } from './short-spans.ts'

export const slidingWindowLogSamples: Samples = {
  strategy: 'slidingWindowLog',
  samples: fc
    .record({ limit: limits, spanUs: spans, otherLimit: limits, otherUs: spans })
    .map(({ limit, spanUs, otherLimit, otherUs }) => ({
      policy: withSpans((duration) => slidingWindowLog({ limit, window: duration(spanUs) })),
      other: withSpans((duration) => slidingWindowLog({ limit: otherLimit, window: duration(otherUs) })),
      spanUs,
      capacity: limit,
      rules: [
        {
          limit,
          fits: (admissions, atUs, cost) => sumWhere(admissions, (us) => us > atUs - spanUs) + cost <= limit,
        },
      ],
      breach: (admissions) => overIn(admissions, spanUs, limit),
    })),
}
