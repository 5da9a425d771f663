import { concurrency } from '@sluice/core'
import fc from 'fast-check'
import { limits, overIn, type Samples, sumWhere } from './sample.ts'

/** Leases of less than a second, also where the clock slips back: of longer ones the stated wait is advice. */
const leases = fc.constantFrom(100_000, 250_001, 500_000, 998_000)

/** As long as nobody renews a lease it is an entry in a log. */
export const concurrencySamples: Samples = {
  strategy: 'concurrency',
  samples: fc
    .record({ limit: limits, spanUs: leases, otherLimit: limits, otherUs: leases })
    .map(({ limit, spanUs, otherLimit, otherUs }) => ({
      policy: concurrency({ limit, lease: spanUs / 1000 }),
      other: concurrency({ limit: otherLimit, lease: otherUs / 1000 }),
      spanUs,
      capacity: limit,
      inFlight: true,
      rules: [
        {
          limit,
          fits: (admissions, atUs, cost) => sumWhere(admissions, (us) => us > atUs - spanUs) + cost <= limit,
        },
      ],
      breach: (admissions) => overIn(admissions, spanUs, limit),
    })),
}
