import type { Policy } from '@sluice/core'
import { type DeclaredStrategy, optionsFor, policyOfData } from '@sluice/core/internal'
import fc from 'fast-check'
import { limits, type Samples, spans } from './sample.ts'
import { withSpans } from './short-spans.ts'

interface Definition {
  readonly countsRequests?: true
  readonly raise?: unknown
  debtUs?(numbers: unknown): number
  spacingUs?(numbers: unknown, cost: number): number
}

/** What is known of a policy's arithmetic without an oracle: how far it may reach into the future. */
function reachOf(policy: Policy): { debtUs?: number; raisableUs?: number; countsRequests?: true } {
  const definition: Definition = Reflect.get(policy, 'definition')
  const numbers: unknown = Reflect.get(policy, 'numbers')
  const debtUs = definition.debtUs?.(numbers)
  const spacingUs = definition.spacingUs?.(numbers, 1) ?? 0
  return {
    ...(definition.countsRequests && { countsRequests: true }),
    ...(debtUs !== undefined && 'reserve' in policy.can && { debtUs }),
    ...(debtUs !== undefined && definition.raise !== undefined && { raisableUs: spacingUs + debtUs }),
  }
}

/** Samples that follow from a strategy's options: two stores are held to one another by them, and to nothing else. */
export function declaredSamples(declared: DeclaredStrategy): Samples {
  const { name: strategy, inFlight } = declared
  const policyWith = (units: number, spanUs: number) =>
    withSpans((duration) =>
      policyOfData({ strategy, ...optionsFor(declared, { units, span: duration(spanUs) }) }),
    )
  return {
    strategy,
    withoutOracle: true,
    samples: fc
      .record({ limit: limits, spanUs: spans, otherLimit: limits, otherUs: spans })
      .map(({ limit, spanUs, otherLimit, otherUs }) => {
        const policy = policyWith(limit, spanUs)
        return {
          policy,
          other: policyWith(otherLimit, otherUs),
          spanUs,
          capacity: policy.limit,
          rules: [],
          breach: () => undefined,
          ...(inFlight && { inFlight: true as const }),
          ...reachOf(policy),
        }
      }),
  }
}
