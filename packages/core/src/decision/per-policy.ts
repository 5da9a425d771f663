import type { PerPolicy } from './decision.ts'
import { memberOf } from './members.ts'

type Simple = string | number | boolean

/** The value for one policy: the one for all, or the record's; `otherwise` if there is none. */
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

/** The units that an OptionError says it expected. */
export const unitsByPolicy = 'a whole number of at least 0, or one by policy'
