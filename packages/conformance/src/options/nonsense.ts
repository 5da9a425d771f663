import fc from 'fast-check'

type Members = { [name: string]: unknown }

function nothing(): void {}

/** What a program without types, a broken setting or a parser gives in place of what is meant. */
export const nonsense: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 3,
    // biome-ignore format: a list of values
    arbitrary: fc.constantFrom<unknown>(
      Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -0, 0, 0.5, 5, 2 ** 53, 1e21, 5n,
      '', '5', ' ', '5 s', '-1s', 'Infinity', undefined, null, true, false, Symbol('x'), nothing, class {}, new Date(0), /x/,
      new Map([['default', 5]]), new Set([5]), {}, { default: null }, { constructor: 5 }, [], [null], [5], ['5'], [[]],
    ),
  },
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true }),
)

/** Options with something else at a place such as `limits[0].window`. */
export function replaced<T extends object>(options: T, place: string, value: unknown): T {
  const [first = '', ...rest] = place.split(/[.[\]]+/).filter((step) => step !== '')
  const copy = (Array.isArray(options) ? [...options] : { ...options }) as Members // of the same shape
  copy[first] = rest.length === 0 ? value : replaced(copy[first] as object, rest.join('.'), value)
  return copy as T
}

/** One letter of a name left out, doubled, exchanged, put in, or in the other case. */
export function misspelt(name: string): fc.Arbitrary<string> {
  const otherCase = (letter: string) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  const changes: readonly ((letter: string, other: string) => string)[] = [
    () => '',
    (letter) => letter + letter,
    (_, other) => other,
    (letter, other) => letter + other,
    otherCase,
  ]
  const change = {
    at: fc.nat(name.length - 1),
    how: fc.constantFrom(...changes),
    other: fc.constantFrom(...'aeinrstxS_'),
  }
  return fc
    .record(change)
    .map(({ at, how, other }) => name.slice(0, at) + how(name[at] ?? '', other) + name.slice(at + 1))
}
