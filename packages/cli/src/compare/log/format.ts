import { parseCombined, parseCommon } from './common.ts'
import type { Parse } from './entry.ts'
import { parseJson } from './json.ts'

export const formats = ['auto', 'common', 'combined', 'json'] as const
export type Format = (typeof formats)[number]

/** The longest line in characters; no server writes longer ones. */
export const maxLineLength = 65_536

/** The parser of a format. With `auto` the first character of each line decides. */
export function parserOf(format: Format, names: Readonly<Record<string, string>>): Parse {
  const parse = ofFormat(format, parseJson(names))
  return (line) =>
    line.length > maxLineLength ? `a line of at most ${maxLineLength} characters` : parse(line)
}

function ofFormat(format: Format, json: Parse): Parse {
  switch (format) {
    case 'auto':
      return (line) => (/^\s*\{/.test(line) ? json(line) : parseCommon(line))
    case 'common':
      return parseCommon
    case 'combined':
      return parseCombined
    case 'json':
      return json
  }
}
