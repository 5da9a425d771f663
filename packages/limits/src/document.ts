import {
  type Alias,
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  type LineCounter,
  type Node,
  type Pair,
} from 'yaml'
import { targetsOf } from './aliases.ts'
import { parseText } from './parse.ts'
import type { LimitsProblem } from './problem.ts'
import { syntaxProblems } from './syntax.ts'
import { describeNode, joinPath, quoted } from './words.ts'

/** A part of a document: its node, position and path. */
export interface Part {
  /** null if there is nothing, or an alias of nothing. */
  readonly node: Node | null
  /** The position for problems: the value as written, otherwise its name. */
  readonly place: Node | null
  readonly path: string
  /** Whether it was reached through an alias. */
  readonly borrowed: boolean
}

export interface Entry {
  readonly name: string
  readonly key: Part
  readonly value: Part
}

/** The most entries read through aliases: ten lines of aliases of aliases could mean a thousand million. */
const maxAliasEntries = 100_000

/** The longest text that is read: each megabyte may take 500 MB of memory, and halt the process for seconds. */
const maxText = 4_000_000

/** A YAML text or plain data, and its problems. */
export class LimitsDocument {
  readonly #document: Document
  readonly #file: string | undefined
  /** undefined for data, which has no lines. */
  readonly #lines: LineCounter | undefined
  readonly #problems = new Map<string, LimitsProblem>()
  #targets: ReadonlyMap<Alias, Node> | undefined
  #borrowed = 0

  private constructor(document: Document, lines?: LineCounter, file?: string) {
    this.#document = document
    this.#lines = lines
    this.#file = file
  }

  static ofText(text: string, file?: string): LimitsDocument {
    const isTooLong = text.length > maxText
    const { document: parsed, lines } = parseText(isTooLong ? '' : text)
    const document = new LimitsDocument(parsed, lines, file)
    if (isTooLong) document.note(document.root, `a text of at most ${maxText} characters`, `${text.length}`)
    for (const problem of syntaxProblems(parsed, lines)) document.#add({ file, ...problem })
    return document
  }

  static ofData(data: unknown): LimitsDocument {
    try {
      return new LimitsDocument(new Document(data))
    } catch (error) {
      // The nesting is too deep for the stack.
      if (!(error instanceof RangeError)) throw error
      const document = new LimitsDocument(new Document(null))
      document.note(document.root, 'nesting of a depth that can be read', 'a deeper one')
      return document
    }
  }

  /** The problems, in the order of the text. */
  get problems(): readonly LimitsProblem[] {
    return [...this.#problems.values()].sort((a, b) => a.line - b.line || a.column - b.column)
  }

  get root(): Part {
    const { contents } = this.#document
    return this.part(contents, { node: contents, place: contents, path: '', borrowed: false }, '')
  }

  /** A part of a part; `at` is the position for problems if it is empty. */
  part(value: unknown, above: Part, path: string, at: Node | null = above.place): Part {
    const written = isNode(value) ? value : null
    const node = isAlias(written) ? this.#targetOf(written) : written
    return { node, place: written ?? at, path, borrowed: above.borrowed || isAlias(written) }
  }

  /** The entries of a mapping by name. Names are strings exactly as written: even `7`, `true` and `__proto__`. */
  entries(part: Part): ReadonlyMap<string, Entry> {
    const entries = new Map<string, Entry>()
    if (!isMap(part.node) || !this.#affords(part, part.node.items.length)) return entries
    for (const pair of part.node.items) {
      const entry = this.#entry(part, pair)
      if (entry === undefined) continue
      if (entries.has(entry.name)) this.note(entry.key, 'each name once', `${quoted(entry.name)} again`)
      else entries.set(entry.name, entry)
    }
    return entries
  }

  note({ node, place, path }: Part, expected: string, got: string = describeNode(node ?? place)): undefined {
    // Beyond the limit, what was read is incomplete.
    if (this.#borrowed > maxAliasEntries) return undefined
    return this.#add({ file: this.#file, ...this.#placeOf(place), path, expected, got })
  }

  #entry(part: Part, { key: written, value }: Pair): Entry | undefined {
    const unnamed = this.part(written, part, part.path)
    if (!isScalar(unnamed.node)) return this.note(unnamed, 'a name')
    const name = unnamed.node.source ?? String(unnamed.node.value)
    if (name === '') return this.note(unnamed, 'a name', 'an empty one')
    const key = { ...unnamed, path: joinPath(part.path, name) }
    if (name === '<<' && unnamed.node.type === 'PLAIN') {
      return this.note(key, 'names that are written out, or one alias for them all', 'a merge key (<<)')
    }
    return { name, key, value: this.part(value, part, key.path, key.place) }
  }

  #affords(part: Part, entries: number): boolean {
    if (!part.borrowed) return true
    if (this.#borrowed + entries > maxAliasEntries) {
      this.note(part, `aliases of at most ${maxAliasEntries} entries in all`, 'more')
    }
    this.#borrowed += entries
    return this.#borrowed <= maxAliasEntries
  }

  #add(problem: LimitsProblem): undefined {
    const { line, column, path, expected, got } = problem
    // A problem behind an anchor occurs at each of its aliases, and is reported once.
    const place = line === 0 ? path : `${line}:${column}`
    const known = [place, expected, got].join('\n')
    if (!this.#problems.has(known)) this.#problems.set(known, problem)
  }

  #placeOf(node: Node | null): { line: number; column: number } {
    if (this.#lines === undefined) return { line: 0, column: 0 }
    const { line, col } = this.#lines.linePos(node?.range?.[0] ?? 0)
    return { line, column: col }
  }

  #targetOf(alias: Alias): Node | null {
    this.#targets ??= targetsOf(this.#document)
    return this.#targets.get(alias) ?? null
  }
}
