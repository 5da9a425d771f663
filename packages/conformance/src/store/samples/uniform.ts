import { uniform } from '@sluice/core'
import fc from 'fast-check'
import { type Admission, type Samples, spans } from './sample.ts'
import { withSpans } from './short-spans.ts'

function breach(admissions: readonly Admission[], intervalUs: number): string | undefined {
  const kept = admissions.filter(({ cost }) => cost > 0)
  const close = kept.find(
    ({ atUs }, i) => atUs - (kept[i - 1]?.atUs ?? Number.NEGATIVE_INFINITY) < intervalUs,
  )
  return close === undefined ? undefined : `less than ${intervalUs} µs before ${close.atUs}`
}

export const uniformSamples: Samples = {
  strategy: 'uniform',
  samples: fc
    .record({ spanUs: spans, otherUs: spans, debtUs: fc.constantFrom(0, 7, 60_000_000) })
    .map(({ spanUs, otherUs, debtUs }) => ({
      policy: withSpans((duration) => uniform({ interval: duration(spanUs), maxDebt: duration(debtUs) })),
      other: withSpans((duration) => uniform({ interval: duration(otherUs), maxDebt: duration(debtUs) })),
      spanUs,
      capacity: 1,
      countsRequests: true,
      debtUs,
      raisableUs: spanUs + debtUs,
      rules: [
        {
          limit: 1,
          fits: (admissions, atUs, cost) =>
            cost === 0 || admissions.every((each) => each.atUs + spanUs <= atUs),
        },
      ],
      breach: (admissions) => breach(admissions, spanUs),
    })),
}
