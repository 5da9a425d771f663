import fc from 'fast-check'

/** What a place does, as an operator thinks of it. */
type Does = 'unlimited' | 'deny' | { readonly [policy: string]: number } | number

export interface Place {
  readonly does: Does | undefined
  readonly children: ReadonlyMap<string, Place>
}

// biome-ignore format: a list of names
const hostile = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'limits', 'children', 'schema', 'strategy', 'user', 'a/b', '7', ' ', '\ud800']
export const names: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('*', ...hostile) },
  fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
)

function byName<T>(values: fc.Arbitrary<T>, least: number): fc.Arbitrary<ReadonlyMap<string, T>> {
  const about = { minLength: least, maxLength: 3, selector: ([name]: [string, T]) => name }
  return fc.uniqueArray(fc.tuple(names, values), about).map((entries) => new Map(entries))
}

const limit = fc.integer({ min: 1, max: 3 })
const does: fc.Arbitrary<Does> = fc.oneof(
  { weight: 3, arbitrary: limit },
  { weight: 2, arbitrary: byName(limit, 1).map((all) => Object.fromEntries(all)) },
  fc.constantFrom('unlimited', 'deny'),
)

/** Of at most so many names in depth. */
function placesOf(depth: number): fc.Arbitrary<ReadonlyMap<string, Place>> {
  const children = depth === 1 ? fc.constant(new Map<string, Place>()) : placesOf(depth - 1)
  // A policy of a child's name would be the same level.
  const place = fc
    .record({ does: fc.option(does, { nil: undefined }), children })
    .filter(
      ({ does, children }) =>
        typeof does !== 'object' || !Object.keys(does).some((name) => children.has(name)),
    )
  return byName(place, depth === 4 ? 1 : 0)
}
export const trees: fc.Arbitrary<ReadonlyMap<string, Place>> = placesOf(4)

function policyData(most: number): object {
  return { strategy: 'fixedWindow', limit: most, window: '10s' }
}

function limitsData(what: Does): unknown {
  if (typeof what === 'string') return what
  if (typeof what === 'number') return policyData(what)
  return Object.fromEntries(Object.entries(what).map(([name, most]) => [name, policyData(most)]))
}

/** The tree as plain data in the shape of the file. */
export function placesData(places: ReadonlyMap<string, Place>): object {
  return Object.fromEntries(
    [...places].map(([name, { does: what, children }]) => [
      name,
      {
        ...(what === undefined ? {} : { limits: limitsData(what) }),
        ...(children.size === 0 ? {} : { children: placesData(children) }),
      },
    ]),
  )
}
