import { cellsOf } from './table.ts'

/** A part of a line between spaces, or in quotes, brackets, parentheses or braces. */
export interface Token {
  readonly text: string
  /** The name in `name=value`; undefined for a part that has only a place. */
  readonly name: string | undefined
  readonly quoted: boolean
  /** Where the token begins in the line, with its quote. */
  readonly start: number
  /** The place behind the token. */
  readonly end: number
}

/** Closing brackets are looked for no further than this, because clients choose much of a line. */
const longest = 512
const closing: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' }
const named = /([A-Za-z_@][\w.@-]{0,60})=("?)/y
/** A label and an address, as Nginx Proxy Manager writes them: `[Client 203.0.113.66]` */
const labelled = /^([A-Za-z][\w-]{0,30}):? ([\da-fA-F.:]+)$/
/** The members of a chain that stands without quotes: `203.0.113.66, 192.0.2.1`. */
const chained = /^[\da-fA-F.:[\]]+,$/

/** The parts of a line, in one pass over any content. */
export function tokensOf(line: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < line.length) {
    const sign = line[at]
    if (sign === ' ' || sign === '\t') at++
    else at = addToken(tokens, line, at)
  }
  return tokens
}

const delimiters = ['|', '\t', ';', ',']
const fewestCells = 4

/** The cells of a line that has such delimiters in place of spaces; undefined where there are few. */
export function cellTokensOf(line: string): readonly Token[] | undefined {
  for (const delimiter of delimiters) {
    const cells = cellsOf(line, delimiter)
    if (cells.length < fewestCells) continue
    return cells.map((cell) => {
      const text = cell.trim()
      return { text, name: undefined, quoted: text.includes(' '), start: 0, end: 0 }
    })
  }
  return undefined
}

/** Adds the token that begins at `start`; returns the index behind it. */
function addToken(tokens: Token[], line: string, start: number): number {
  const sign = line[start] ?? ''
  if (sign === '"') return addQuoted(tokens, line, { start, from: start, name: undefined })
  const close = closing[sign]
  if (close !== undefined) {
    const rest = line.slice(start + 1, start + longest)
    const end = rest.indexOf(close)
    // Not where the bracket opens again before it closes: only the last of them may be meant.
    if (end >= 0 && !rest.slice(0, end).includes(sign))
      return addBracketed(tokens, line, start, start + end + 2)
  }
  named.lastIndex = start
  const [whole, name, quote] = named.exec(line) ?? []
  if (whole !== undefined && quote === '"')
    return addQuoted(tokens, line, { start, from: start + whole.length - 1, name })
  return addPlain(
    tokens,
    line,
    start,
    name === undefined ? undefined : { name, from: start + (whole ?? '').length },
  )
}

function addQuoted(
  tokens: Token[],
  line: string,
  { start, from, name }: { start: number; from: number; name: string | undefined },
): number {
  const close = closingQuote(line, from)
  const end = close < 0 ? line.length : close + 1
  tokens.push({ text: line.slice(from + 1, close < 0 ? end : close), name, quoted: true, start, end })
  return end
}

function closingQuote(line: string, from: number): number {
  let end = line.indexOf('"', from + 1)
  while (end > 0 && isEscaped(line, end)) end = line.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** Adds the content of brackets. HAProxy writes the headers that it has captured into one pair of braces, with bars between. */
function addBracketed(tokens: Token[], line: string, start: number, end: number): number {
  const inside = line.slice(start + 1, end - 1)
  const [, name, value] = line[start] === '[' ? (labelled.exec(inside) ?? []) : []
  if (value !== undefined) {
    tokens.push({ text: value, name, quoted: false, start, end })
    return end
  }
  const parts = line[start] === '{' ? inside.split('|') : [inside]
  for (const text of parts) tokens.push({ text, name: undefined, quoted: false, start, end })
  return end
}

function addPlain(
  tokens: Token[],
  line: string,
  start: number,
  value: { readonly name: string; readonly from: number } | undefined,
): number {
  let end = endOf(line, start)
  const from = value?.from ?? start
  while (
    line[end - 1] === ',' &&
    end < line.length &&
    chained.test(line.slice(Math.max(from, end - 48), end).replace(/^.* /, ''))
  )
    end = endOf(line, end + 1)
  tokens.push({ text: line.slice(from, end), name: value?.name, quoted: false, start, end })
  return end
}

function endOf(line: string, from: number): number {
  for (let at = from; at < line.length; at++) if (line[at] === ' ' || line[at] === '\t') return at
  return line.length
}
