import type { Descriptor } from './descriptor.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Domains } from './read-config.ts'

/** A mapping in a file of limits. It is a Map, as names may be any text. */
export type Data = ReadonlyMap<string, unknown>

/** Turns domains into the shape of a file of limits: a path is the domain, then the key and the value of each entry. */
export function treeOf(domains: Domains): Data {
  const schema = new Map([...domains].map(([name, descriptors]) => [name, keysOf([...descriptors.values()])]))
  return new Map<string, unknown>([
    ['match', 'end'],
    ['schema', schema],
  ])
}

/** The place of a domain or a value: its children are keys. */
function keysOf(descriptors: readonly Descriptor[]): Data {
  const keys = new Map<string, Descriptor[]>()
  for (const descriptor of descriptors) {
    const known = keys.get(descriptor.key)
    if (known === undefined) keys.set(descriptor.key, [descriptor])
    else known.push(descriptor)
  }
  return holding('children', new Map([...keys].map(([key, values]) => [key, valuesOf(values)])))
}

/** The place of a key: its children are values, and a value with a star in it is a pattern. */
function valuesOf(descriptors: readonly Descriptor[]): Data {
  const children = new Map<string, Data>()
  const patterns = new Map<string, Data>()
  let any: Descriptor | undefined
  for (const descriptor of descriptors) {
    const { value } = descriptor
    if (value === '') continue
    if (!value.includes('*')) children.set(value, placeOf(descriptor))
    // The first pattern that matches wins, so patterns behind one of stars alone are never reached.
    else if (any === undefined && /^\*+$/.test(value)) any = descriptor
    else if (any === undefined) patterns.set(value, placeOf(descriptor))
  }
  any ??= descriptors.find(({ value }) => value === '')
  if (any !== undefined) children.set('*', placeOf(any))
  return new Map([...holding('patterns', patterns), ...holding('children', children)])
}

function placeOf({ limit, shadow, quota, shared, below }: Descriptor): Data {
  return new Map<string, unknown>([
    ...(shared ? [['shared', true] as const] : []),
    ...(limit === undefined ? [] : limited(limit, { shadow, quota })),
    ...keysOf(below),
  ])
}

function limited(
  { window, requests, name, replaces }: RateLimit,
  { shadow, quota }: { readonly shadow: boolean; readonly quota: boolean },
): readonly (readonly [field: string, value: unknown])[] {
  return [
    ...(name === '' ? [] : [['name', name] as const]),
    ...(replaces.length === 0 ? [] : [['replaces', replaces] as const]),
    ...(quota ? [['quota', true] as const] : []),
    ['limits', window === undefined ? 'unlimited' : policyOf(window, requests, shadow)],
  ]
}

function policyOf(window: string, limit: number, shadow: boolean): unknown {
  const policy = { strategy: 'fixedWindow', limit, window, start: 'clock' }
  return shadow ? { ...policy, shadow } : policy
}

function holding(field: string, places: Data): Data {
  return places.size === 0 ? new Map() : new Map([[field, places]])
}
