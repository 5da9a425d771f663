import { fairShare } from '@sluice/core'
import fc from 'fast-check'
import { limits, overIn, type Samples, spans } from './sample.ts'
import { withSpans } from './short-spans.ts'

const numbers = fc.record({
  limit: fc.oneof(limits, fc.constantFrom(20, 100)),
  spanUs: spans,
  weight: fc.constantFrom(1, 1, 2, 10),
  // Mostly fewer than there are clients.
  maxClients: fc.constantFrom(1, 2, 3, 100),
})

/** Two of them differ in their ends only. */
const clients = ['amy', 'ben', 'ben ', 'cat:1\n~', '', undefined] as const

/** Who gets what is told by the cases of shares: these hold two stores to one another, and the limit in every window. */
export const fairShareSamples: Samples = {
  strategy: 'fairShare',
  withoutOracle: true,
  samples: fc.tuple(numbers, numbers).map(([{ spanUs, ...own }, { spanUs: otherUs, ...other }]) => ({
    policy: withSpans((duration) => fairShare({ ...own, window: duration(spanUs) })),
    other: withSpans((duration) => fairShare({ ...other, window: duration(otherUs) })),
    spanUs,
    capacity: own.limit,
    notes: clients,
    rules: [],
    breach: (admissions) => overIn(admissions, spanUs, 2 * own.limit),
  })),
}
