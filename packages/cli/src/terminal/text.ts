import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

/** Columns that a text takes on a terminal: two for each wide character, none for colours. */
export const widthOf: (text: string) => number = stringWidth

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The text, or as many of its characters as fit, and `…`. Colours are kept. */
export function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const plain = stripVTControlCharacters(text)
  let kept = ''
  for (const { segment } of characters.segment(plain)) {
    if (widthOf(kept + segment) > width - 1) break
    kept += segment
  }
  return text.replace(plain, () => `${kept}…`)
}

/** Breaks lines between words where the terminal would break them anywhere; null: does not. */
export function wrapped(text: string, width: number | null): string {
  return width === null
    ? text
    : text
        .split('\n')
        .map((line) => wrappedLine(line, width))
        .join('\n')
}

/** The parts that continue a line are indented by two more than the line. */
function wrappedLine(text: string, width: number): string {
  const [indent = ''] = /^ */.exec(text) ?? []
  const lines: string[] = []
  let line = indent
  for (const word of text.slice(indent.length).split(' ')) {
    const longer = line.trim() === '' ? `${line}${word}` : `${line} ${word}`
    if (widthOf(longer) <= width || line.trim() === '') {
      line = longer
      continue
    }
    lines.push(line)
    line = `${indent}  ${word}`
  }
  return [...lines, line].join('\n')
}
