import type { PerPolicy } from '../decision.ts'

type Simple = string | number | boolean

/** What holds for one policy: the one value, or the record's; `otherwise` where the record says nothing. */
export function forPolicy<T extends Simple>(
  value: PerPolicy<string, T> | undefined,
  name: string,
  otherwise: T,
): T {
  if (value === undefined) return otherwise
  if (typeof value !== 'object') return value
  return (value as { readonly [name: string]: T | undefined })[name] ?? otherwise // no Simple is an object
}
