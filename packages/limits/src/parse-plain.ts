import { Document, LineCounter, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import type { Parsed } from './parse.ts'

/** A character of a name or a value without quotes, and one that may be its first; in a row with single blanks between. */
const inner = '[^\\s:#,[\\]{}]'
const words = `[^\\s:#,[\\]{}"'&*!|>%@\`?~\\\\=<-]${inner}*(?: ${inner}+){0,20}`
const scalars = {
  PLAIN: new RegExp(words, 'y'),
  QUOTE_DOUBLE: /"[^"\\\n]*"/y,
  QUOTE_SINGLE: /'[^'\n]*'/y,
} as const
const [blanks, linesToo, comma] = [/ */y, /[ \n]*/y, /,/y]
const [restOfLine, gap, endOfName] = [/(?: *| +#[^\n]*)(?:\n|$)/y, / *(?:#[^\n]*)?\n/y, /:(?=[ \n]|$)/y]
/** These mean something else than a blank or the end of a line, or are nothing that a text of this kind has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const unusual = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/
/** What need not be a string. */
const typed = /^(?:[\d.+]|(?:true|false|null)$)/i
/** A longer name is no name, and collections that are nested deeper are counted by the parser. */
const [longestName, maxDepth] = [1000, 100]

/**
 * Parses a text that has only names, values and collections as most files write them, several times as fast as the parser of `yaml`, with
 * the same nodes. Undefined for any other text, also for each that has a mistake.
 */
export function parsePlain(text: string): Parsed | undefined {
  if (unusual.test(text)) return undefined
  const document = new Document(null)
  const contents = new PlainParser(text, document).read()
  if (contents === undefined) return undefined
  document.contents = contents
  const lines = new LineCounter()
  for (let start = 0; ; ) {
    lines.addNewLine(start)
    start = text.indexOf('\n', start) + 1
    if (start === 0) return { document, lines }
  }
}

/** Each method answers undefined for what is not read here; a position is then of no more use. */
class PlainParser {
  readonly #text: string
  readonly #document: Document
  #at = 0
  /** Of the line at which it stands; -1 at the end of the text. */
  #indent = 0
  #depth = 0
  /** What may stand between the parts of a collection in brackets. */
  #between: RegExp = blanks

  constructor(text: string, document: Document) {
    this.#text = text
    this.#document = document
  }

  read(): Node | undefined {
    this.#findLine()
    const isJson = this.#opens()
    if (isJson) this.#between = linesToo
    const node = isJson ? this.#inLine() : this.#block(-1)
    // A line whose indentation is that of no collection above it is still there, as is one that goes on with a value.
    return this.#indent === -1 ? node : undefined
  }

  /** Moves behind what the pattern matches from here on. */
  #passes(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    if (!pattern.test(this.#text)) return false
    this.#at = pattern.lastIndex
    return true
  }

  /** Goes from the beginning of a line to the first character of the next one that says something. */
  #findLine(): void {
    while (this.#passes(gap));
    const start = this.#at
    this.#passes(blanks)
    this.#indent = this.#at - start
    if (this.#at === this.#text.length || this.#text[this.#at] === '#') this.#indent = -1
  }

  /** The collection at the line found, if it is deeper than what it belongs to. */
  #block(above: number): Node | undefined {
    const indent = this.#indent
    if (indent <= above || this.#depth === maxDepth) return undefined
    this.#depth++
    const node = this.#isItem() ? this.#blockSeq(indent) : this.#blockMap(indent)
    this.#depth--
    return node
  }

  #isItem(): boolean {
    return this.#text[this.#at] === '-' && this.#text[this.#at + 1] === ' '
  }

  #blockMap(indent: number): Node | undefined {
    const map = new YAMLMap()
    const start = this.#at
    while (this.#indent === indent) {
      const key = this.#scalar()
      if (key === undefined || !this.#passes(endOfName)) return undefined
      const value = this.#blockValue(indent)
      if (value === undefined) return undefined
      map.items.push(new Pair(key, value))
    }
    return ranged(map, start, this.#at)
  }

  #blockValue(indent: number): Node | undefined {
    if (!this.#passes(restOfLine)) return this.#passes(blanks) ? this.#inLine() : undefined
    this.#findLine()
    // The items of a list may stand as far to the left as its name.
    return this.#block(this.#indent === indent && this.#isItem() ? indent - 1 : indent)
  }

  /** A value that ends with its line. */
  #inLine(): Node | undefined {
    const node = this.#flow()
    if (node === undefined || !this.#passes(restOfLine)) return undefined
    this.#findLine()
    return node
  }

  #blockSeq(indent: number): Node | undefined {
    const seq = new YAMLSeq()
    const start = this.#at
    while (this.#indent === indent && this.#isItem()) {
      const dash = this.#at++
      this.#passes(blanks)
      const item = this.#item(indent, indent + this.#at - dash)
      if (item === undefined) return undefined
      seq.items.push(item)
    }
    return ranged(seq, start, this.#at)
  }

  /** `within`: the indentation of a mapping that begins here. */
  #item(indent: number, within: number): Node | undefined {
    const start = this.#at
    const isMap = this.#scalar() !== undefined && this.#passes(endOfName)
    this.#at = start
    if (!isMap) return this.#inLine()
    this.#indent = within
    return this.#block(indent)
  }

  #opens(): boolean {
    return this.#text[this.#at] === '{' || this.#text[this.#at] === '['
  }

  #flow(): Node | undefined {
    if (!this.#opens()) return this.#scalar()
    if (this.#depth === maxDepth) return undefined
    this.#depth++
    const start = this.#at++
    const isMap = this.#text[start] === '{'
    const collection = isMap ? new YAMLMap() : new YAMLSeq()
    const items: unknown[] = collection.items
    const closing = isMap ? '}' : ']'
    collection.flow = true
    this.#passes(this.#between)
    while (this.#text[this.#at] !== closing) {
      const member = isMap ? this.#flowPair() : this.#flow()
      if (member === undefined) return undefined
      items.push(member)
      this.#passes(this.#between)
      if (!this.#passes(comma) && this.#text[this.#at] !== closing) return undefined
      this.#passes(this.#between)
    }
    this.#at++
    this.#depth--
    return ranged(collection, start, this.#at)
  }

  #flowPair(): Pair | undefined {
    const key = this.#scalar()
    // A name in quotes needs no blank behind its colon.
    const isNamed = key?.type === 'PLAIN' ? this.#passes(endOfName) : this.#text[this.#at++] === ':'
    if (key === undefined || !isNamed) return undefined
    this.#passes(blanks)
    const value = this.#flow()
    return value && new Pair(key, value)
  }

  #scalar(): Scalar | undefined {
    const start = this.#at
    const first = this.#text[start]
    const type = first === '"' ? 'QUOTE_DOUBLE' : first === "'" ? 'QUOTE_SINGLE' : 'PLAIN'
    if (!this.#passes(scalars[type]) || this.#at - start > longestName) return undefined
    const isPlain = type === 'PLAIN'
    const source = isPlain ? this.#text.slice(start, this.#at) : this.#text.slice(start + 1, this.#at - 1)
    const scalar = new Scalar(isPlain && typed.test(source) ? this.#valueOf(source) : source)
    scalar.source = source
    scalar.type = type
    return ranged(scalar, start, this.#at)
  }

  /** As the parser of `yaml` reads it. */
  #valueOf(source: string): unknown {
    const { schema, options } = this.#document
    for (const tag of schema.tags) {
      if (tag.default !== true || tag.collection !== undefined || tag.test?.test(source) !== true) continue
      const value = tag.resolve(source, () => {}, options)
      return value instanceof Scalar ? value.value : value
    }
    return source
  }
}

function ranged<T extends Node>(node: T, start: number, end: number): T {
  node.range = [start, end, end]
  return node
}
