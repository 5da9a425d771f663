import { isMap, type Node } from 'yaml'
import { type Entry, LimitsDocument, type Part } from './document.ts'
import { readFields } from './fields.ts'
import { Pattern } from './pattern.ts'
import { limitsError } from './problem.ts'
import { type Limits, readLimits } from './read-limits.ts'
import { checkPatterns, readPlace } from './read-place.ts'
import { readChoice } from './scalars.ts'
import {
  type Branch,
  joinPattern,
  type Level,
  type Match,
  type SharedNames,
  type Tree,
  type Way,
} from './tree.ts'

const outset: Way = {
  pattern: '',
  depth: 0,
  shared: [],
  met: [],
  lifted: undefined,
  denied: undefined,
  matched: false,
}
const noNames: ReadonlyMap<string, Entry> = new Map()
const nothing: Below = { children: noNames, patterns: noNames }
const plain = { name: undefined, replaces: [], quota: false }
/** Twice the nesting limit of a text: bounds the recursion through aliases. */
const mostNames = 500

/** The names below a place. */
interface Below {
  readonly children: ReadonlyMap<string, Entry>
  readonly patterns: ReadonlyMap<string, Entry>
}

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
  #match: Match = 'along'
  /** Whether a place has limits, or is `unlimited` or `deny`. */
  #limitsAny = false
  /** The nodes above the one being read, to detect aliases that lead back to them. */
  readonly #above = new Set<Node>()

  constructor(document: LimitsDocument) {
    this.#document = document
  }

  read(): Tree | undefined {
    const { root } = this.#document
    const shape = 'a mapping with `schema`, the tree of limits'
    if (!isMap(root.node)) return this.#document.note(root, shape)
    const hint = 'there are schema, charge and match'
    const names = ['schema', 'charge', 'match'] as const
    const { schema, charge, match } = readFields(this.#document, root, { names, hint })
    if (schema === undefined) {
      // A field already reported as unknown may be a misspelling of the missing one.
      return this.#document.problems.length > 0 ? undefined : this.#document.note(root, shape, 'one without')
    }
    this.#match = (match && readChoice(this.#document, match, ['along', 'end'])) ?? 'along'
    const tree: Tree = {
      root: this.#branch(outset, { children: this.#names(schema), patterns: noNames }),
      levels: this.#levels,
      charge: charge && readChoice(this.#document, charge, ['every-level', 'all-or-nothing']),
      match: this.#match,
    }
    const isSound = this.#document.problems.length === 0
    // What was converted for another service may have none, as it may there.
    if (isSound && !this.#limitsAny && this.#match === 'along')
      return this.#document.note(schema, 'at least one place with `limits`', 'a tree that limits nothing')
    return tree
  }

  /** The names under `schema`, `children` or `patterns`. */
  #names(part: Part | undefined): ReadonlyMap<string, Entry> {
    if (part === undefined) return noNames
    const named = isMap(part.node) && part.node.items.length > 0
    if (!named) this.#document.note(part, 'at least one name, or "*" for every other')
    return named ? this.#document.entries(part) : noNames
  }

  #branch(
    way: Way,
    below: Below,
    { name, replaces, quota }: Pick<Branch, 'name' | 'replaces' | 'quota'> = plain,
  ): Branch {
    const children = new Map<string, Branch>()
    for (const entry of below.children.values())
      children.set(entry.name, this.#place(entry, way, entry.name === '*'))
    const patterns = [...below.patterns.values()].map((entry) => ({
      pattern: new Pattern(entry.name),
      branch: this.#place(entry, way, true),
    }))
    return { ...way, children, patterns, any: children.get('*'), name, replaces, quota }
  }

  #place({ name, value: part }: Entry, above: Way, open: boolean): Branch {
    const pattern = joinPattern(above.pattern, name)
    const here = { pattern, depth: above.depth + 1, shared: above.shared }
    const reached = this.#match === 'end' ? { ...outset, ...here } : { ...above, ...here }
    const { node } = part
    if (!isMap(node) || this.#above.has(node) || reached.depth > mostNames) {
      this.#refuse(part)
      return this.#branch(reached, nothing)
    }
    this.#above.add(node)
    const fields = readPlace(this.#document, part, { match: this.#match, open })
    const below = { children: this.#names(fields.children), patterns: this.#names(fields.patterns) }
    checkPatterns(this.#document, below.patterns, below.children)
    const way = fields.shared ? { ...reached, shared: withShared(reached, name) } : reached
    const place = { ...way, children: new Map([...below.children, ...below.patterns]) }
    const limits = fields.limits && readLimits(this.#document, fields.limits, place)
    const branch = this.#branch(limits === undefined ? way : this.#passed(way, limits), below, fields)
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
    this.#limitsAny = true
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

/** Puts a pattern into the key, from this place on, instead of the name in a request's path. */
function withShared({ shared, depth }: Way, name: string): SharedNames {
  return Array.from({ length: depth }, (_, i) => (i === depth - 1 ? name : shared[i]))
}
