import type { Spread } from './rounds.ts'
import type { Section } from './section.ts'
import type { Judged } from './targets.ts'

/** Cells of text, the head first; the first column to the left, the others to the right. */
export type Table = readonly (readonly string[])[]

const digits = { 'a second': 0, µs: 2, bytes: 0 }

export function tableOf({ unit, ratiosTo, rows }: Section): Table {
  const spread = rows.some(({ value }) => value.low !== value.high)
  const head = ['', unit, ...(spread ? ['quartiles'] : []), ...ratiosTo.flatMap((name) => [`of ${name}`, 'quartiles'])]
  return [
    head,
    ...rows.map(({ name, value, ratios }) => {
      const ratioCells = ratios.flatMap((ratio) => [number(ratio.median, 2), quartiles(ratio, 2)])
      const places = digits[unit]
      return [name, number(value.median, places), ...(spread ? [quartiles(value, places)] : []), ...ratioCells]
    }),
  ]
}

export function targetTable(judged: readonly Judged[]): Table {
  const rows = judged.map(({ target, title, measured, met }) => {
    const places = target.ratio === undefined ? 0 : 2
    const bound = target.atLeast === undefined ? `at most ${target.atMost}` : `at least ${target.atLeast}`
    const value = number(measured.median, places)
    return [`${title}: ${target.row}`, bound, value, met ? 'met' : 'not met']
  })
  return [['target', 'bound', 'measured', ''], ...rows]
}

function number(value: number, places: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })
}

function quartiles({ low, high }: Spread, places: number): string {
  return `${number(low, places)}–${number(high, places)}`
}

/** For a terminal or a pipe: columns by spaces. */
export function asText(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))))
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n')
}

export function asMarkdown([head = [], ...rows]: Table): string {
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
