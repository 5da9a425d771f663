import type { Policy } from '@sluice/core'
import type { definitions } from '@sluice/core/internal'
import fc from 'fast-check'
import type { Sample } from './sample.ts'

/** A copy of a policy that blocks like this: for a few µs too, which is shorter than `blockFor` takes. */
function thatBlocks(policy: Policy, blocking: definitions.Blocking): Policy {
  const parts = {
    ...Object.getOwnPropertyDescriptors(policy),
    blocking: { value: blocking },
    countsBlocks: { value: blocking.factor > 1 || blocking.banAfter > 0 },
    value: { value: `${Reflect.get(policy, 'value')} blockFor ${JSON.stringify(blocking)}` },
  }
  return Object.freeze(Object.defineProperties({} as Policy, parts)) // it has all that the other has
}

function canBlock(policy: Policy): boolean {
  const { noBlocks }: definitions.AnyStrategy = Reflect.get(policy, 'definition') // no part of its face
  return noBlocks === undefined
}

/** Samples whose policies block the keys that they refuse, in all ways that there are. The other numbers block likewise, or not at all. */
export function blockingSamples(samples: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  const ways = fc.record({
    first: fc.constantFrom(0.2, 1, 2.5),
    prolong: fc.boolean(),
    factor: fc.constantFrom(1, 1, 2, 3),
    longest: fc.constantFrom(1, 5, 12),
    banAfter: fc.constantFrom(0, 0, 1, 3),
    ban: fc.constantFrom(0.1, 20),
    forget: fc.constantFrom(0.3, 3, 30),
    others: fc.boolean(),
  })
  return fc
    .tuple(
      samples.filter(({ policy }) => canBlock(policy)),
      ways,
    )
    .map(([sample, { first, prolong, factor, longest, banAfter, ban, forget, others }]) => {
      const spans = (many: number) => Math.max(1, Math.floor(many * sample.spanUs))
      const blocking = {
        firstUs: spans(first),
        prolong,
        factor,
        longestUs: spans(first * longest),
        banAfter,
        banUs: spans(ban),
        forgetUs: spans(forget),
      }
      return {
        ...sample,
        policy: thatBlocks(sample.policy, blocking),
        other: others ? thatBlocks(sample.other, blocking) : sample.other,
      }
    })
}
