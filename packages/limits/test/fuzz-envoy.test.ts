import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { readConfig } from '../src/envoy/read-config.ts'
import { textOfTree } from '../src/envoy/text.ts'
import { treeOf } from '../src/envoy/to-tree.ts'
import { readLimitsText } from '../src/read.ts'
import { keyOf, walk } from '../src/tree.ts'

/** A descriptor as its file has it; a limit is told by its number. */
interface Written {
  readonly key: string
  readonly value: string
  readonly limit: number | undefined
  readonly shared: boolean
  readonly below: readonly Written[]
}
type Entry = readonly [key: string, value: string]

const stars = ['x*', '*y', 'x*y', '*', '*x*', '**', 'x*z*y']
const values = fc.constantFrom('', '', 'x', 'xy', '__proto__', ...stars)
const keys = fc.constantFrom('a', 'b')

function listsOf(depth: number): fc.Arbitrary<readonly Written[]> {
  const below = depth === 1 ? fc.constant([]) : listsOf(depth - 1)
  const limit = fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined })
  const one = fc.record({ key: keys, value: values, limit, shared: fc.boolean(), below })
  return fc.uniqueArray(one, { maxLength: 6, selector: ({ key, value }) => `${key} ${value}` })
}
const sent = fc.constantFrom('', 'x', 'y', 'xy', 'xzy', 'yx', '*', 'other', '__proto__')
const asked = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), sent), { minLength: 1, maxLength: 4 })

function dataOf(list: readonly Written[]): readonly object[] {
  return list.map(({ key, value, limit, shared, below }) => ({
    key,
    ...(value !== '' && { value }),
    ...(shared && value.includes('*') && { share_threshold: true }),
    ...(limit !== undefined && { rate_limit: { unit: 'day', requests_per_unit: limit } }),
    ...(below.length > 0 && { descriptors: dataOf(below) }),
  }))
}

function fits(pattern: string, value: string): boolean {
  const literal = pattern.replaceAll(/[^*]+/g, (part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
  return new RegExp(`^${literal.replaceAll('*', '.*')}$`, 's').test(value)
}

/** What the service's documentation says of a level: the value, else the first pattern that fits, else the key alone. */
function matching(list: readonly Written[], [key, value]: Entry): Written | undefined {
  const own = list.filter((each) => each.key === key)
  return (
    own.find((each) => each.value !== '' && each.value === value && !value.includes('*')) ??
    own.find((each) => each.value.includes('*') && fits(each.value, value)) ??
    own.find((each) => each.value === '')
  )
}

/** The limit of the last entry, and the values by which it counts. */
function modelled(list: readonly Written[], entries: readonly Entry[]): unknown {
  let here = list
  let last: Written | undefined
  const counted: string[] = []
  for (const entry of entries) {
    last = matching(here, entry)
    if (last === undefined) return undefined
    // Two stars alone are the same as one.
    counted.push(last.shared && last.value.includes('*') ? last.value.replace('**', '*') : entry[1])
    here = last.below
  }
  return last?.limit === undefined ? undefined : { limit: last.limit, counted }
}

it('any descriptors, converted, match what the documentation of their service says', () => {
  const property = fc.property(
    listsOf(3),
    fc.array(asked, { minLength: 1, maxLength: 20 }),
    (list, requests) => {
      const text = JSON.stringify({ domain: 'zoo', descriptors: dataOf(list) })
      const tree = readLimitsText(textOfTree(treeOf(readConfig([{ file: 'a.yaml', text }]))))
      for (const entries of requests) {
        const path = ['zoo', ...entries.flat()]
        const [level] = walk(tree, path)?.met ?? []
        const met = level && {
          limit: level.policy.limit,
          counted: keyOf(level, path).filter((_, i) => i > 0 && i % 2 === 0),
        }
        expect([entries, met]).toEqual([entries, modelled(list, entries)])
      }
    },
  )
  fc.assert(property, { numRuns: 500 })
})
