import type { Policy } from '@sluice/core'
import fc from 'fast-check'
import { readVectors } from '../vectors.ts'
import type { Admission, Sample, Samples } from './sample.ts'

interface Definition {
  readonly countsRequests?: true
  readonly inFlight?: true
  readonly raise?: unknown
  debtUs?(numbers: unknown): number
  spacingUs?(numbers: unknown, cost: number): number
}

/** Histories step by many windows, also back: of longer ones they would begin before 1970. */
const longestMs = 3_600_000

/** What is known of a policy's arithmetic without an oracle, from its definition, which is no part of its face. */
function factsOf(policy: Policy): Partial<Sample> {
  const definition: Definition = Reflect.get(policy, 'definition')
  const numbers: unknown = Reflect.get(policy, 'numbers')
  const debtUs = definition.debtUs?.(numbers)
  const spacingUs = definition.spacingUs?.(numbers, 1) ?? 0
  return {
    ...(definition.countsRequests && { countsRequests: true }),
    ...(definition.inFlight && { inFlight: true }),
    ...(debtUs !== undefined && 'reserve' in policy.can && { debtUs }),
    ...(debtUs !== undefined && definition.raise !== undefined && { raisableUs: spacingUs + debtUs }),
  }
}

/** The policies of a strategy's vectors, without an oracle: two stores are held to one another by them. */
export function samplesFromVectors(strategy: string): Samples {
  return samplesOf(
    strategy,
    readVectors(strategy).flatMap(({ policies }) => policies),
  )
}

/** `breach` says what is wrong with a history of a policy; left out: nothing is. */
export function samplesOf(
  strategy: string,
  policies: readonly Policy[],
  breach: (admissions: readonly Admission[], policy: Policy) => string | undefined = () => undefined,
): Samples {
  const any = fc.constantFrom(...policies.filter(({ windowMs }) => (windowMs ?? 0) <= longestMs))
  return {
    strategy,
    withoutOracle: true,
    samples: fc.record({ policy: any, other: any }).map(({ policy, other }) => ({
      policy,
      other,
      spanUs: (policy.windowMs ?? 10_000) * 1000,
      capacity: policy.limit,
      rules: [],
      breach: (admissions) => breach(admissions, policy),
      ...factsOf(policy),
    })),
  }
}
