import type { PerPolicy } from './decision.ts'
import { memberOf } from './members.ts'

type Simple = string | number | boolean

/** What holds for one policy: the one value, or the record's; `otherwise` where the record says nothing. */
export function forPolicy<T extends Simple>(
  value: PerPolicy<string, T> | undefined,
  name: string,
  otherwise: T,
): T {
  if (value === undefined) return otherwise
  if (typeof value !== 'object' || value === null) return value
  const member = memberOf(value as { readonly [name: string]: T | undefined }, name) // no Simple is an object
  return member === undefined ? otherwise : member
}

/** Of units, as an OptionError says it. */
export const unitsByPolicy = 'a whole number of at least 0, or one by policy'
