import type { Parse } from './entry.ts'
import { withoutFront } from './front.ts'
import { objectIn, oneObject, type ParseInner, parseRecord } from './json.ts'
import { type Places, placesWith } from './record-entry.ts'
import { type Columns, directiveIn, headerIn, rowOf } from './table.ts'
import { parseCombined, parseText } from './text-entry.ts'

export const formats = ['auto', 'common', 'combined', 'json'] as const
export type Format = (typeof formats)[number]

/** The longest line in characters; no server writes longer ones. */
export const maxLineLength = 65_536

/** Makes the parser of one log: it keeps the names of columns. With `auto` each line's content decides. */
export function parserOf(format: Format, names: Readonly<Record<string, string>>): () => Parse {
  const places = placesWith(names)
  return () => {
    const parse = ofFormat(format, places)
    return (line) =>
      line.length > maxLineLength ? `a line of at most ${maxLineLength} characters` : parse(line)
  }
}

function ofFormat(format: Format, places: Places): Parse {
  switch (format) {
    case 'auto':
      return anyFormat(places)
    case 'common':
      return behindFront(parseText)
    case 'combined':
      return behindFront(parseCombined)
    case 'json':
      return behindFront((text, time) => {
        const data = objectIn(text)
        return data ? parseRecord(data, { places, inner: parseText, time }) : oneObject
      })
  }
}

function behindFront(parse: ParseInner): Parse {
  return (line) => {
    const { text, time } = withoutFront(line)
    return parse(text, time)
  }
}

/** How deep lines may stand within each other. */
const deepest = 3

function anyFormat(places: Places): Parse {
  const lineIn = lineReader(places, 0)
  const inCell = lineReader(places, 1)
  let columns: Columns | undefined
  let first = true
  return (line) => {
    const named = line.startsWith('#') ? directiveIn(line) : first ? headerIn(line) : undefined
    first = false
    columns = named ?? columns
    if (named !== undefined || line.startsWith('#')) return undefined
    if (columns === undefined) return lineIn(line, undefined)
    const row = rowOf(line, columns)
    if (row === undefined) return `${columns.names.length} columns, as the line of names has`
    return parseRecord(row, { places, inner: inCell, time: undefined })
  }
}

/** Reads a line that stands within `depth` others. */
function lineReader(places: Places, depth: number): ParseInner {
  const inner: ParseInner = (line, time) =>
    depth < deepest ? lineReader(places, depth + 1)(line, time) : 'a line that is not within others'
  return (line, outerTime) => {
    const { text, time = outerTime } = withoutFront(line)
    const data = objectIn(text)
    if (data === undefined) return parseText(text, time)
    return data === null ? oneObject : parseRecord(data, { places, inner, time })
  }
}
