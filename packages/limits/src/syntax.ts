import type { Document, LineCounter, YAMLError } from 'yaml'
import { deepest } from './parse.ts'
import type { LimitsProblem } from './problem.ts'
import { printable } from './words.ts'

/** What a reader of YAML complains of, in the words of one who writes limits. */
const wordings: ReadonlyMap<string, Pick<LimitsProblem, 'expected' | 'got'>> = new Map([
  ['TAB_AS_INDENT', { expected: 'spaces as indentation', got: 'a tab' }],
  ['BAD_ALIAS', { expected: 'an alias with a name (the name "*" needs quotes)', got: 'one without' }],
  ['RESOURCE_EXHAUSTION', { expected: `at most ${deepest} collections, one within the other`, got: 'more' }],
  ['MULTIPLE_DOCS', { expected: 'one document', got: 'a second one' }],
])

/** These upset all that follows, so nothing else is told. */
const decisive: ReadonlySet<string> = new Set(['TAB_AS_INDENT', 'BAD_ALIAS', 'RESOURCE_EXHAUSTION'])

/** What keeps a text from being YAML: the first mistake of a line, as it may upset the rest of it. */
export function syntaxProblems(document: Document, lines: LineCounter): Omit<LimitsProblem, 'file'>[] {
  const { errors, warnings } = document
  // A warning is a tag that is unknown, or an alias that nobody meant.
  const all = [...errors, ...warnings].sort((a, b) => a.pos[0] - b.pos[0])
  const told = new Map<number, Omit<LimitsProblem, 'file'>>()
  for (const error of tellingOf(all)) {
    const { line, col } = lines.linePos(error.pos[0])
    if (!told.has(line)) told.set(line, { line, column: col, path: '', ...wordingOf(error) })
  }
  return [...told.values()]
}

function tellingOf(all: readonly YAMLError[]): readonly YAMLError[] {
  const first = all.find(({ code }) => decisive.has(code))
  if (first === undefined) return all
  return all.filter(({ code }) => code === first.code)
}

function wordingOf({ code, message }: YAMLError): Pick<LimitsProblem, 'expected' | 'got'> {
  const text = message.length > 120 ? `${message.slice(0, 120)}…` : message
  return wordings.get(code) ?? { expected: 'well-formed YAML', got: `a mistake in it (${printable(text)})` }
}
