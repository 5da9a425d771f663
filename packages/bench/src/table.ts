import type { JudgedFloor } from './floors.ts'
import type { Spread } from './rounds.ts'
import type { Section } from './section.ts'
import type { Judged } from './targets.ts'

/** Cells of text, the head first; the first column to the left, the others to the right. */
export type Table = readonly (readonly string[])[]

export function tableOf({ columns, rows }: Section): Table {
  const texts = rows.map(({ name, cells }) => {
    return [name, ...cells.map((cell, at) => spreadText(cell, columns[at]?.places ?? 0))]
  })
  return [['', ...columns.map(({ name }) => name)], ...texts]
}

export function targetTable(judged: readonly Judged[]): Table {
  const rows = judged.map(({ target, title, measured, met }) => {
    const places = target.ratio === undefined && Number(target.atMost) >= 10 ? 0 : 2
    const bound = target.atLeast === undefined ? `at most ${target.atMost}` : `at least ${target.atLeast}`
    return [`${title}: ${target.row}`, bound, spreadText(measured, places), met ? 'met' : 'not met']
  })
  return [['target', 'bound', 'measured', ''], ...rows]
}

/** The floors of Sluice, and who is ahead in this run. */
export function floorTable(judged: readonly JudgedFloor[]): Table {
  const rows = judged.map(({ floor, places, measured, other, ahead, outcome }) => {
    const bound = (value: number | undefined) =>
      value === undefined ? '–' : `${floor.more ? '≥' : '≤'} ${number(value, places)}`
    const best = other === undefined ? '–' : `${number(other.cell.median, places)} (${other.name})`
    return [
      `${floor.title}: ${floor.column}${floor.of === undefined ? '' : ` of ${floor.of}`}`,
      bound(floor.floor),
      bound(floor.goal),
      spreadText(measured, places),
      best,
      ahead,
      outcome,
    ]
  })
  return [['row', 'floor', 'goal', 'Sluice', 'best of the others', 'ahead', ''], ...rows]
}

function number(value: number, places: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })
}

/** The median and the quartiles; one number where they are the same. */
export function spreadText({ median, low, high }: Spread, places: number): string {
  const [middle, below, above] = [median, low, high].map((value) => number(value, places))
  return below === above ? `${middle}` : `${middle} (${below}–${above})`
}

/** For a terminal or a pipe: columns by spaces. */
export function asText(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  )
  return table
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
    )
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n')
}

export function asMarkdown([head = [], ...rows]: Table): string {
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
