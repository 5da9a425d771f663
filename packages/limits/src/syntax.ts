import type { Document, LineCounter, YAMLError } from 'yaml'
import { maxDepth } from './parse.ts'
import type { LimitsProblem } from './problem.ts'
import { printable } from './words.ts'

/** Errors of the YAML parser, worded for authors of limits. */
const wordings: ReadonlyMap<string, Pick<LimitsProblem, 'expected' | 'got'>> = new Map([
  ['TAB_AS_INDENT', { expected: 'spaces as indentation', got: 'a tab' }],
  ['BAD_ALIAS', { expected: 'an alias with a name (the name "*" needs quotes)', got: 'one without' }],
  ['RESOURCE_EXHAUSTION', { expected: `at most ${maxDepth} collections, one within the other`, got: 'more' }],
  ['MULTIPLE_DOCS', { expected: 'one document', got: 'a second one' }],
])

/** These upset all that follows, so nothing else is reported. */
const decisive: ReadonlySet<string> = new Set(['TAB_AS_INDENT', 'BAD_ALIAS', 'RESOURCE_EXHAUSTION'])

/** The syntax errors of a text: only the first of each line, because it may cause the others. */
export function syntaxProblems(document: Document, lines: LineCounter): Omit<LimitsProblem, 'file'>[] {
  const { errors, warnings } = document
  // Warnings are unknown tags and unresolved aliases.
  const all = [...errors, ...warnings].sort((a, b) => a.pos[0] - b.pos[0])
  const problems = new Map<number, Omit<LimitsProblem, 'file'>>()
  for (const error of decisiveOf(all)) {
    const { line, col } = lines.linePos(error.pos[0])
    if (!problems.has(line)) problems.set(line, { line, column: col, path: '', ...wordingOf(error) })
  }
  return [...problems.values()]
}

function decisiveOf(all: readonly YAMLError[]): readonly YAMLError[] {
  const first = all.find(({ code }) => decisive.has(code))
  if (first === undefined) return all
  return all.filter(({ code }) => code === first.code)
}

function wordingOf({ code, message }: YAMLError): Pick<LimitsProblem, 'expected' | 'got'> {
  const text = message.length > 120 ? `${message.slice(0, 120)}…` : message
  return wordings.get(code) ?? { expected: 'well-formed YAML', got: `a mistake in it (${printable(text)})` }
}
