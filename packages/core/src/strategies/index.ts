import { markMaker, type Policy } from '../policy.ts'
import { policyOfData } from './declared.ts'

export * from './list.ts'

/**
 * A policy from data, as a file or a database holds it.
 *
 * @example policyFrom({ strategy: 'gcra', count: 100, period: '1m' })
 */
export function policyFrom(data: { readonly strategy: string; readonly [option: string]: unknown }): Policy {
  return policyOfData(data)
}
markMaker(policyFrom)
