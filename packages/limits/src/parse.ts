import { Composer, type CST, Document, Lexer, LineCounter, Parser, YAMLParseError } from 'yaml'

export interface Parsed {
  readonly document: Document
  readonly lines: LineCounter
}

/**
 * How deep collections may be nested, two per name of a path. The parser is recursive, and a stack overflow
 * inside a regular expression ends the process.
 */
export const maxDepth = 500

/** Parses a YAML text; errors are in the document. */
export function parseText(text: string): Parsed {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const tokens: CST.Token[] = []
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    if (parser.stack.length > maxDepth) {
      return { document: tooDeep(parser.offset), lines }
    }
  }
  tokens.push(...parser.end())
  return { document: compose(tokens, text.length), lines }
}

function tooDeep(offset: number): Document {
  const document = new Document(null)
  document.errors.push(new YAMLParseError([offset, offset], 'RESOURCE_EXHAUSTION', ''))
  return document
}

function compose(tokens: readonly CST.Token[], end: number): Document {
  // Our own code finds duplicate names, as written, and in linear time.
  const [document, second] = new Composer({ uniqueKeys: false }).compose(tokens, true, end)
  if (document === undefined) return new Document(null)
  if (second !== undefined) {
    const [start, stop] = second.range
    document.errors.push(new YAMLParseError([start, stop], 'MULTIPLE_DOCS', ''))
  }
  return document
}
