import { oneLine } from '../one-line.ts'
import { paint } from '../print.ts'
import { type Column, fittedTable } from '../terminal/fitted-table.ts'
import { wrapped } from '../terminal/text.ts'
import { terminalWidth } from '../terminal/width.ts'
import type { Figures } from './figures-read.ts'
import { type Part, partsOf } from './lines.ts'
import type { Given, Plan } from './plan.ts'

const columns: readonly Column[] = [
  { head: 'what', align: 'left' },
  { head: 'arithmetic', align: 'left', goes: 1 },
  { head: 'result', align: 'right' },
]

/** A table with the arithmetic of each line; on a terminal too narrow for it, the arithmetic follows below the table. */
export function reportOf(
  given: Given,
  plan: Plan,
  { figures, width = terminalWidth() }: { readonly figures: Figures; readonly width?: number | null },
): string {
  const parts = partsOf(given, plan)
  const { text, without } = fittedTable({ columns, rows: parts.flatMap(rowsOf), width, compact: true })
  const { day, redis, allocator, processor } = figures.on
  const about = `measured on ${day} with Redis ${redis} (${allocator}) on ${processor}: the time is that of this machine`
  if (without.length === 0) return `${text}\n${wrapped(about, width)}`
  return [text, ...parts.flatMap(linesOf).map((each) => wrapped(each, width)), wrapped(about, width)].join(
    '\n',
  )
}

function rowsOf({ title, lines }: Part): readonly (readonly string[])[] {
  return [
    [paint('bold', oneLine(title)), '', ''],
    ...lines.map(({ name, formula, value }) => [`  ${name}`, formula, value]),
  ]
}

function linesOf({ title, lines }: Part): readonly string[] {
  return [oneLine(title), ...lines.map(({ name, formula, value }) => `  ${name}: ${formula} = ${value}`)]
}
