import { paint } from '../print.ts'
import { timeAxis } from './chart-axis.ts'
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
  const top = Math.max(allowed, ...results.map(({ inWindow }) => highest(inWindow.values)))
  const limitRow = Math.max(1, Math.min(maxRowsToLimit, Math.floor((maxRows * allowed) / top)))
  return { allowed, limitRow, unitsPerRow: Math.max(allowed / limitRow, top / maxRows) }
}

/** Draws the units admitted in the last 10 s over the time of the test, with a line at the allowance. No line is longer than the width. */
export function chartOf(result: TestResult, scale: Scale, width: number | null): string {
  const { allowed, unitsPerRow, limitRow } = scale
  const label = count(allowed)
  const { stepMs, values } = fitting(result.inWindow, width === null ? null : width - label.length - 2)
  const lines: string[] = []
  for (let row = Math.max(limitRow, Math.ceil(highest(values) / unitsPerRow)); row >= 1; row--) {
    const empty = row === limitRow ? '▔' : ' '
    const cells = values.map((value) => barIn(row, value / unitsPerRow) ?? empty)
    lines.push(`${(row === limitRow ? label : '').padStart(label.length)} ┤${blue(cells.join('').trimEnd())}`)
  }
  const { ticks, times } = timeAxis(values.length, stepMs)
  return [
    ...lines,
    `${'0'.padStart(label.length)} ┼${ticks}`,
    `${' '.repeat(label.length + 1)}${times}`,
  ].join('\n')
}

type Points = TestResult['inWindow']

/** Several points become one, the highest of them, where there is no room for all. */
function fitting({ stepMs, values }: Points, room: number | null): Points {
  const each = room === null ? 1 : Math.ceil(values.length / Math.max(1, room))
  if (each <= 1) return { stepMs, values }
  const fewer = Array.from({ length: Math.ceil(values.length / each) }, (_, place) =>
    highest(values.slice(place * each, (place + 1) * each)),
  )
  return { stepMs: stepMs * each, values: fewer }
}

function highest(values: readonly number[]): number {
  return Math.max(0, ...values)
}

/** The part of a bar in a row; the first row is the lowest. */
function barIn(row: number, height: number): string | undefined {
  return bars[Math.round(Math.min(1, height - (row - 1)) * bars.length) - 1]
}

function blue(row: string): string {
  return row.replace(/[▁-█]+/g, (bar) => paint('blue', bar))
}
