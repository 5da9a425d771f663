import { declaredStrategies } from '@sluice/core/internal'
import { isMap, isScalar, isSeq, type Node } from 'yaml'
import type { Entry, LimitsDocument, Part } from './document.ts'
import { withUnit } from './make-policy.ts'
import { joinPath } from './words.ts'

/** Deeper than any option: what is nested without end would take the stack. */
const deepest = 10

/** Turns parts of a document into the data that a policy is made from. */
export class PlainReader {
  readonly #document: LimitsDocument
  readonly #durations: ReadonlySet<string>
  /** What an alias has read already is not read again. undefined: it is being read, so an alias leads back to it. */
  readonly #read = new Map<Node, unknown>()
  /** false: something that was read means nothing, and that has been told. */
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
    // A number would be milliseconds in code, and in a file anybody's guess. A zero means the same in every unit.
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
    if (this.#depth === deepest) return this.#complain(part, 'data that is not nested so deep')
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

/** The names of a strategy's durations; of an unknown strategy, those of any. */
function durationsOf(strategy: unknown): ReadonlySet<string> {
  const known = typeof strategy === 'string' ? declaredStrategies.get(strategy) : undefined
  const names = (known === undefined ? [...declaredStrategies.values()] : [known]).flatMap(({ options }) =>
    Object.entries(options).flatMap(([name, { kind }]) => {
      if (kind === 'windows') return 'window'
      return kind === 'duration' ? name : []
    }),
  )
  return new Set(names)
}

/**
 * The entry that `path` names in the words of core (`limits[1].window`), below a part; where there is none, the nearest part
 * around it, called as if there were one.
 */
export function entryAt(document: LimitsDocument, part: Part, path: string): Pick<Entry, 'key' | 'value'> {
  for (const entry of document.entries(part).values()) {
    if (path === entry.name) return entry
    const { name, value } = entry
    const below = path.startsWith(name) ? /^\[(\d+)\]\.?(.*)$/s.exec(path.slice(name.length)) : null
    if (below === null || !isSeq(value.node)) continue
    const [, index = '', rest = ''] = below
    const item = document.part(value.node.items[Number(index)], value, `${value.path}[${index}]`)
    return rest === '' ? { key: item, value: item } : entryAt(document, item, rest)
  }
  const around = { ...part, node: null, path: joinPath(part.path, path) }
  return { key: around, value: around }
}
