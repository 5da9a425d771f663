import { catalogue } from './internal/index.ts'
import { markMaker, type Policy } from './policy.ts'

export * from './strategies/list.ts'

/**
 * Creates a policy from data, such as from a file or a database.
 *
 * @example policyFrom({ strategy: 'gcra', count: 100, period: '1m' })
 */
export function policyFrom(data: { readonly strategy: string; readonly [option: string]: unknown }): Policy {
  return catalogue.policyOfData(data)
}
markMaker(policyFrom)
