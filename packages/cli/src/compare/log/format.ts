import { parseCombined, parseCommon } from './common.ts'
import type { Parse } from './entry.ts'
import { parseJson } from './json.ts'

export const formats = ['auto', 'common', 'combined', 'json'] as const
export type Format = (typeof formats)[number]

/** Characters of a line that are read; a longer line is none that a server wrote. */
export const longestLine = 65_536

/** How lines of a format are read. With `auto` each line is told by its first character. */
export function parserOf(format: Format, names: Readonly<Record<string, string>>): Parse {
  const parse = ofFormat(format, parseJson(names))
  return (line) => (line.length > longestLine ? `a line of at most ${longestLine} characters` : parse(line))
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
