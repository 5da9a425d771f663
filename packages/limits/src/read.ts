import { isMap, type Node } from 'yaml'
import { type Entry, LimitsDocument, type Part } from './document.ts'
import { readFields } from './fields.ts'
import { limitsError } from './problem.ts'
import { type Limits, readLimits } from './read-limits.ts'
import { readChoice } from './scalars.ts'
import { type Branch, joinPattern, type Level, type Tree, type Way } from './tree.ts'

const outset: Way = { pattern: '', depth: 0, met: [], lifted: undefined, denied: undefined, matched: false }
const noNames: ReadonlyMap<string, Entry> = new Map()
/** Twice the nesting limit of a text: bounds the recursion through aliases. */
const mostNames = 500

/**
 * Reads the tree of limits from a YAML text, without creating a limiter, as `loadLimits` does.
 *
 * @param file The file name for problems, if the text comes from a file.
 * @throws LimitsError with all problems at once.
 */
export function readLimitsText(text: string, file?: string): Tree {
  return readTree(LimitsDocument.ofText(text, file))
}

/** As `readLimitsText`, for plain data in the shape of the file. */
export function readLimitsData(data: unknown): Tree {
  return readTree(LimitsDocument.ofData(data))
}

function readTree(document: LimitsDocument): Tree {
  // A text that is not YAML cannot be interpreted.
  const tree = document.problems.length > 0 ? undefined : new TreeReader(document).read()
  if (tree === undefined || document.problems.length > 0) throw limitsError(document.problems)
  return tree
}

class TreeReader {
  readonly #document: LimitsDocument
  readonly #levels: Level[] = []
  /** The nodes above the one being read, to detect aliases that lead back to them. */
  readonly #above = new Set<Node>()

  constructor(document: LimitsDocument) {
    this.#document = document
  }

  read(): Tree | undefined {
    const { root } = this.#document
    const shape = 'a mapping with `schema`, the tree of limits'
    if (!isMap(root.node)) return this.#document.note(root, shape)
    const hint = 'there are schema and charge'
    const { schema, charge } = readFields(this.#document, root, { names: ['schema', 'charge'], hint })
    if (schema === undefined) {
      // A field already reported as unknown may be a misspelling of the missing one.
      return this.#document.problems.length > 0 ? undefined : this.#document.note(root, shape, 'one without')
    }
    return {
      root: this.#branch(outset, this.#names(schema)),
      levels: this.#levels,
      charge: charge && readChoice(this.#document, charge, ['every-level', 'all-or-nothing']),
    }
  }

  /** The names under `schema` or `children`. */
  #names(part: Part): ReadonlyMap<string, Entry> {
    const named = isMap(part.node) && part.node.items.length > 0
    if (!named) this.#document.note(part, 'at least one name, or "*" for every other')
    return named ? this.#document.entries(part) : noNames
  }

  #branch(way: Way, names: ReadonlyMap<string, Entry>): Branch {
    const children = new Map<string, Branch>()
    for (const { name, value } of names.values()) children.set(name, this.#place(value, way, name))
    return { ...way, children, any: children.get('*') }
  }

  #place(part: Part, above: Way, name: string): Branch {
    const pattern = joinPattern(above.pattern, name)
    const way = { ...above, pattern, depth: above.depth + 1 }
    const { node } = part
    if (!isMap(node) || this.#above.has(node) || way.depth > mostNames) {
      this.#refuse(part)
      return this.#branch(way, noNames)
    }
    this.#above.add(node)
    const hint = 'there are limits and children; names stand below children'
    const fields = readFields(this.#document, part, { names: ['limits', 'children'], hint })
    const names = fields.children === undefined ? noNames : this.#names(fields.children)
    const place = { pattern, depth: way.depth, children: names }
    const limits = fields.limits && readLimits(this.#document, fields.limits, place)
    const branch = this.#branch(limits === undefined ? way : this.#passed(way, limits), names)
    this.#above.delete(node)
    return branch
  }

  #refuse(part: Part): void {
    if (!isMap(part.node)) this.#document.note(part, 'a mapping with `limits`, `children` or both')
    else if (this.#above.has(part.node))
      this.#document.note(part, 'a tree that ends', 'an alias of what it is part of')
    else this.#document.note(part, `a path of at most ${mostNames} names`, 'a longer one')
  }

  /** The path state after a place with limits. */
  #passed(way: Way, limits: Limits): Way {
    const { met, pattern } = way
    switch (limits.effect) {
      case 'deny':
        return { ...way, denied: way.denied ?? pattern, matched: true }
      case 'unlimited':
        return { ...way, met: [], lifted: pattern, matched: true }
      case 'add':
        this.#levels.push(...limits.levels)
        return { ...way, met: [...met, ...limits.levels], matched: true }
    }
  }
}
