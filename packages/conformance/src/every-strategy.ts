import type { Duration, Policy } from '@sluice/core'
import { catalogue, definitions, partsOf } from '@sluice/core/internal'
import type * as strategies from '@sluice/core/strategies'

type Strategy = Exclude<keyof typeof strategies, 'policyFrom'>

/** A policy of every strategy: a fresh key gets that many units at once, and as many in every further window (uniform: one). */
export function everyStrategy(units: number, window: Duration): { readonly [S in Strategy]: Policy } {
  const made = [...catalogue.declaredStrategies.values()].map((declared) => [
    declared.name,
    catalogue.policyOfData({
      strategy: declared.name,
      ...catalogue.optionsFor(declared, { units, span: window }),
    }),
  ])
  return Object.fromEntries(made) // the list is what both the type and the values are made of
}

/** Those that count requests, and not what is in flight. */
export function everyCount(
  units: number,
  window: Duration,
): { readonly [strategy: string]: Policy<'refund' | 'penalize' | 'reward'> } {
  const counts = Object.entries(everyStrategy(units, window)).filter(([, policy]) => canRefund(policy))
  return Object.fromEntries(counts) as { [strategy: string]: Policy<'refund' | 'penalize' | 'reward'> } // as was asked of each
}

function canRefund({ can }: Policy): boolean {
  return 'refund' in can && 'penalize' in can && 'reward' in can
}

/** The same policy, which `changing` may replace at any time, as operations do. */
export function changeable(policy: Policy, changing: { now: Policy | undefined }): Policy {
  const { definition, numbers, blocking, options } = partsOf(policy)
  return definitions.policyOf(definition, numbers, { blocking, options, changing })
}
