import type { Policy } from '@sluice/core'
import { catalogue, partsOf } from '@sluice/core/internal'

/** A policy as data, from which another process makes the same one. */
export type PolicyData = Parameters<typeof catalogue.policyOfData>[0]

/** undefined for a strategy that is not in the list, and where its options cannot be written as JSON. */
export function dataOfPolicy(policy: Policy): PolicyData | undefined {
  const { definition, options, value } = partsOf(policy)
  if (options === undefined || catalogue.strategyOfCode(definition.code) !== definition) return undefined
  try {
    const data: PolicyData = JSON.parse(JSON.stringify({ ...options, strategy: definition.name }))
    return partsOf(catalogue.policyOfData(data)).value === value ? data : undefined
  } catch {
    return undefined
  }
}
