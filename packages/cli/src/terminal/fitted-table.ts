import Table from 'cli-table3'
import { paint } from '../print.ts'
import { shortened, widthOf } from './text.ts'

export interface Column {
  readonly head: string
  readonly align: 'left' | 'right'
  /** Where there is no room for all columns, those with the highest number go first. @default 0, which stays */
  readonly goes?: number
}

/** Cells in the order of the columns; each may have several lines. */
type Cells = readonly string[]

export interface Fitted {
  readonly text: string
  /** The heads of columns for which there was no room. */
  readonly without: readonly string[]
}

/** A table with a line between rows, or without. */
export interface TableOptions {
  readonly columns: readonly Column[]
  readonly rows: readonly Cells[]
  /** null: the table is as wide as its content. */
  readonly width: number | null
  readonly compact?: boolean
}

const leastName = 12

/**
 * A table of which no line is longer than the width: columns go, then the first one is shortened, and where that is not enough,
 * each row becomes a list.
 */
export function fittedTable({ columns, rows, width, compact = false }: TableOptions): Fitted {
  const widths = columns.map(({ head }, place) => columnWidth(head, rows, place))
  const stay = width === null ? columns : columnsWithin(columns, widths, width)
  const without = columns.filter((column) => !stay.includes(column)).map(({ head }) => head)
  const places = stay.map((column) => columns.indexOf(column))
  const excess = width === null ? 0 : tableWidth(places.map((place) => widths[place] ?? 0)) - width
  const nameRoom = (widths[0] ?? 0) - Math.max(0, excess)
  const kept = rows.map((cells) => places.map((place) => cells[place] ?? ''))
  if (excess > 0 && nameRoom < leastName) return { text: listOf(stay, kept, width ?? 0), without }
  const named = kept.map(([name = '', ...others]) => [eachLine(name, nameRoom), ...others])
  return { text: drawn(stay, named, compact), without }
}

function columnWidth(head: string, rows: readonly Cells[], place: number): number {
  const lines = rows.flatMap((cells) => (cells[place] ?? '').split('\n'))
  return Math.max(widthOf(head), ...lines.map(widthOf))
}

/** The width of a table with a space on both sides of each cell, and lines between. */
function tableWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + 3, 1)
}

function columnsWithin(
  columns: readonly Column[],
  widths: readonly number[],
  width: number,
): readonly Column[] {
  let stay = columns
  const inTurn = columns.filter(({ goes = 0 }) => goes > 0).sort((a, b) => (b.goes ?? 0) - (a.goes ?? 0))
  for (const next of inTurn) {
    if (tableWidth(stay.map((column) => widths[columns.indexOf(column)] ?? 0)) <= width) return stay
    stay = stay.filter((column) => column !== next)
  }
  return stay
}

function eachLine(cell: string, width: number): string {
  return cell
    .split('\n')
    .map((line) => shortened(line, width))
    .join('\n')
}

function drawn(columns: readonly Column[], rows: readonly Cells[], compact: boolean): string {
  const table = new Table({
    head: columns.map(({ head }) => paint('bold', head)),
    colAligns: columns.map(({ align }) => align),
    // The table's own colours would also appear in a pipe.
    style: { head: [], border: [], compact },
  })
  for (const cells of rows) table.push([...cells])
  return table.toString()
}

/** The first cell of each line, and below it the others with their heads. */
function listOf([, ...columns]: readonly Column[], rows: readonly Cells[], width: number): string {
  const headWidth = Math.max(...columns.map(({ head }) => widthOf(head)))
  const lines = rows.flatMap(([name = '', ...others]) =>
    name.split('\n').flatMap((line, place) => [
      line,
      ...columns.flatMap(({ head }, column) => {
        const value = others[column]?.split('\n')[place]
        return value === undefined ? [] : [`    ${head.padEnd(headWidth)}  ${value}`]
      }),
    ]),
  )
  return lines.map((line) => shortened(line, width)).join('\n')
}
