import type { Policy } from '@sluice/core'
import { definitions } from '@sluice/core/internal'
import fc from 'fast-check'
import type { Sample } from './sample.ts'

/** Other numbers as the operator has changed them, as a call has chosen them, or where all numbers are chosen for calls. */
export function chosenOrNot(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.oneof(samples, chosen(samples))
}

/** The other numbers are chosen for a call, and perhaps the policy's too; with a third policy, or without. */
export function chosen(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc
    .tuple(samples, fc.option(samples, { nil: undefined }), fc.boolean())
    .map(([sample, further, both]) => ({
      ...sample,
      policy: both ? definitions.chosenFor(sample.policy) : sample.policy,
      other: beside(sample.other, sample, both),
      ...(further !== undefined &&
        further.policy.strategy === sample.policy.strategy && { third: beside(further.other, sample, both) }),
    }))
}

/** Chosen for a call of a limiter that has the sample's policy, or none of its own. */
function beside(policy: Policy, { policy: own }: Sample, none: boolean): Policy {
  return none ? definitions.chosenFor(policy) : definitions.chosenFor(policy, own)
}
