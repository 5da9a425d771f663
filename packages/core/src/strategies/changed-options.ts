import { optionError } from '../errors.ts'
import { isRecord, join } from '../options.ts'
import type { Policy } from '../policy.ts'
import { partsOf } from './policy-parts.ts'
import { policyWith } from './strategy-from.ts'

export function isChangeable(policy: Policy): boolean {
  return partsOf(policy).changing !== undefined
}

/**
 * The policy with these options in place of its own of the same names; throws an OptionError. Not `blockFor`: whether
 * the store can block was checked when the limiter was made.
 */
export function policyWithOptions(policy: Policy, options: unknown, path: string): Policy {
  if (!isRecord(options)) throw optionError(path, 'options such as { limit: 50 }', options)
  if (Object.hasOwn(options, 'blockFor'))
    throw optionError(join(path, 'blockFor'), 'to be left out, as it does not change', options.blockFor)
  if (Object.keys(options).length === 0) throw optionError(path, 'at least one option', options)
  const { definition, options: own } = partsOf(policy)
  return policyWith(definition, { ...own, ...options })
}
