import { type Laps, ratioOf, type Spread, spreadOf } from './rounds.ts'

export interface Column {
  readonly name: string
  /** Digits behind the point. */
  readonly places: number
}

/** Rows that were measured together. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export interface Row {
  readonly name: string
  /** One for each column. */
  readonly cells: readonly Spread[]
}

type Unit = 'a second' | 'ms' | 'µs' | 'bytes' | 'kB' | 'each'

const places: { readonly [U in Unit]: number } = { 'a second': 0, ms: 0, µs: 2, bytes: 0, kB: 0, each: 3 }

interface About {
  readonly id: string
  readonly title: string
  readonly unit: Unit
}

/** One row for each contender, compared with each of the rows in `ratiosTo`. */
export function sectionOf(
  { id, title, unit, ratiosTo }: About & { readonly ratiosTo: readonly string[] },
  laps: readonly Laps[],
): Section {
  const bases = ratiosTo.map((name) => named(laps, name))
  const ratios = ratiosTo.map((name) => ({ name: `of ${name}`, places: 2 }))
  const rows = laps.map((each) => {
    return { name: each.name, cells: [spreadOf(each.values), ...bases.map((base) => ratioOf(each, base))] }
  })
  return { id, title, columns: [{ name: unit, places: places[unit] }, ...ratios], rows }
}

/** What is counted once. */
export function countedSection({ id, title, unit }: About, rows: readonly Row[]): Section {
  return { id, title, columns: [{ name: unit, places: places[unit] }], rows }
}

/** A row of what is counted once. */
export function countedRow(name: string, value: number): Row {
  return { name, cells: [spreadOf([value])] }
}

export function cellOf({ title, columns, rows }: Section, row: string, column: string): Spread {
  const cell = named(rows, row).cells[columns.findIndex(({ name }) => name === column)]
  if (cell === undefined) throw new Error(`${title}: ${row} has no column "${column}".`)
  return cell
}

export function named<T extends { readonly name: string }>(list: readonly T[], name: string): T {
  const found = list.find((each) => each.name === name)
  if (found === undefined) throw new Error(`Nothing here is called ${name}.`)
  return found
}

/** With its figures as they are printed: what is drawn and judged then agrees with the table that readers see. */
export function asPrinted({ columns, rows, ...about }: Section): Section {
  const cellAsPrinted = ({ median, low, high }: Spread, at: number) => {
    const rounded = (value: number) => Number(value.toFixed(columns[at]?.places ?? 0))
    return { median: rounded(median), low: rounded(low), high: rounded(high) }
  }
  return {
    ...about,
    columns,
    rows: rows.map(({ name, cells }) => ({ name, cells: cells.map(cellAsPrinted) })),
  }
}
