import type { PerPolicy } from './decision.ts'

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

/** A record's own member: a policy may be called `constructor`, and every object has one of those. */
export function memberOf<T>(record: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** Sets a record's own member. A place in a tree may be called `__proto__`: a plain assignment to that would be lost. */
export function setMember<T>(record: { [name: string]: T }, name: string, value: T): void {
  if (name !== '__proto__') record[name] = value
  else Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true })
}
