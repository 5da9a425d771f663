import { catalogue } from '@sluice/core/internal'
import { isMap, isScalar, isSeq, type Node } from 'yaml'
import type { Entry, LimitsDocument, Part } from './document.ts'
import { withUnit } from './make-policy.ts'
import { joinPath } from './words.ts'

/** Deeper than any option: bounds the recursion. */
const maxDepth = 10

/** Turns parts of a document into the data for a policy. */
export class PlainReader {
  readonly #document: LimitsDocument
  readonly #durations: ReadonlySet<string>
  /** Results by node, so that aliases are not read again. undefined: being read, so an alias leads back to it. */
  readonly #read = new Map<Node, unknown>()
  /** false if something was invalid, which has been reported. */
  sound = true
  #depth = 0

  constructor(document: LimitsDocument, strategy: unknown) {
    this.#document = document
    this.#durations = durationsOf(strategy)
  }

  options(part: Part): Readonly<Record<string, unknown>> {
    const entries = [...this.#document.entries(part).values()]
    return Object.fromEntries(entries.map(({ name, value }) => [name, this.#option(name, value)]))
  }

  #option(name: string, part: Part): unknown {
    const value = this.#value(part)
    // A number is milliseconds in code, but ambiguous in a file. Zero is the same in every unit.
    if (typeof value === 'number' && value !== 0 && this.#durations.has(name)) this.#complain(part, withUnit)
    return value
  }

  #value(part: Part): unknown {
    const { node } = part
    if (isScalar(node)) return node.value
    if (node === null) return null
    if (!this.#read.has(node)) {
      this.#read.set(node, undefined)
      this.#read.set(node, this.#nested(part))
    } else if (this.#read.get(node) === undefined) {
      this.#complain(part, 'data that ends', 'an alias of what it is part of')
    }
    return this.#read.get(node)
  }

  #nested(part: Part): unknown {
    if (this.#depth === maxDepth) return this.#complain(part, 'data that is not nested so deep')
    this.#depth++
    const collection = this.#collection(part)
    this.#depth--
    return collection
  }

  #collection(part: Part): unknown {
    const { node } = part
    if (isMap(node)) return this.options(part)
    if (!isSeq(node)) return null
    return node.items.map((item, i) => this.#value(this.#document.part(item, part, `${part.path}[${i}]`)))
  }

  #complain(part: Part, expected: string, got?: string): undefined {
    this.sound = false
    return this.#document.note(part, expected, got)
  }
}

/** The names of a strategy's durations; for an unknown strategy, those of all strategies. */
function durationsOf(strategy: unknown): ReadonlySet<string> {
  const known = typeof strategy === 'string' ? catalogue.declaredStrategies.get(strategy) : undefined
  const names = (known === undefined ? [...catalogue.declaredStrategies.values()] : [known]).flatMap(
    ({ options }) =>
      Object.entries(options).flatMap(([name, { kind }]) => {
        if (kind === 'windows') return 'window'
        if (kind === 'blockFor') return [name, ...catalogue.blockForTimes]
        return kind === 'duration' ? name : []
      }),
  )
  return new Set(names)
}

/**
 * The entry at core's `path` (`limits[1].window`, `blockFor.factor`) below a part; if there is none, the nearest part
 * around it, with that path.
 */
export function entryAt(document: LimitsDocument, part: Part, path: string): Pick<Entry, 'key' | 'value'> {
  for (const entry of document.entries(part).values()) {
    if (path === entry.name) return entry
    const { name, value } = entry
    if (path.startsWith(`${name}.`) && isMap(value.node))
      return entryAt(document, value, path.slice(name.length + 1))
    const below = path.startsWith(name) ? /^\[(\d+)\]\.?(.*)$/s.exec(path.slice(name.length)) : null
    if (below === null || !isSeq(value.node)) continue
    const [, index = '', rest = ''] = below
    const item = document.part(value.node.items[Number(index)], value, `${value.path}[${index}]`)
    return rest === '' ? { key: item, value: item } : entryAt(document, item, rest)
  }
  const around = { ...part, node: null, path: joinPath(part.path, path) }
  return { key: around, value: around }
}
