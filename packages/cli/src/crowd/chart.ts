import { paint } from '../print.ts'
import type { TestResult } from './test-result.ts'
import { count } from './words.ts'

const maxRows = 12
const maxRowsToLimit = 5
const bars = '▁▂▃▄▅▆▇█'

/** One scale for all charts, so that they can be compared. */
export interface Scale {
  readonly allowed: number
  readonly unitsPerRow: number
  /** The row whose top is the allowance. */
  readonly limitRow: number
}

/** A scale that fits the highest result. */
export function scaleOf(results: readonly TestResult[], allowed: number): Scale {
  const top = Math.max(allowed, ...results.map(highest))
  const limitRow = Math.max(1, Math.min(maxRowsToLimit, Math.floor((maxRows * allowed) / top)))
  return { allowed, limitRow, unitsPerRow: Math.max(allowed / limitRow, top / maxRows) }
}

/** What was admitted in the last 10 s, over the time of the test, with a line at the allowance. */
export function chartOf(result: TestResult, { allowed, unitsPerRow, limitRow }: Scale): string {
  const { values } = result.inWindow
  const label = count(allowed)
  const lines: string[] = []
  for (let row = Math.max(limitRow, Math.ceil(highest(result) / unitsPerRow)); row >= 1; row--) {
    const empty = row === limitRow ? '▔' : ' '
    const cells = values.map((value) => barIn(row, value / unitsPerRow) ?? empty)
    lines.push(`${(row === limitRow ? label : '').padStart(label.length)} ┤${blue(cells.join('').trimEnd())}`)
  }
  return [...lines, `${'0'.padStart(label.length)} ┼${'─'.repeat(values.length)}`].join('\n')
}

function highest({ inWindow }: TestResult): number {
  return Math.max(0, ...inWindow.values)
}

/** The part of a bar in a row; the first row is the lowest. */
function barIn(row: number, height: number): string | undefined {
  return bars[Math.round(Math.min(1, height - (row - 1)) * bars.length) - 1]
}

function blue(row: string): string {
  return row.replace(/[▁-█]+/g, (bar) => paint('blue', bar))
}
