import { chosenFor } from '@sluice/core/internal'
import fc from 'fast-check'
import type { Sample } from './sample.ts'

/** Other numbers as the operator has changed them, as a call has chosen them, or where all numbers are chosen for calls. */
export function chosenOrNot(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.oneof(samples, chosen(samples))
}

/** The other numbers are chosen for a call, and perhaps the policy's too. */
export function chosen(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.tuple(samples, fc.boolean()).map(([sample, both]) => ({
    ...sample,
    policy: both ? chosenFor(sample.policy) : sample.policy,
    other: chosenFor(sample.other),
  }))
}
