import { type Laps, ratioOf, type Spread, spreadOf } from './rounds.ts'

/** Rows that were measured together. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly unit: 'a second' | 'ms' | 'µs' | 'bytes' | 'each'
  /** The rows that each row is compared with. */
  readonly ratiosTo: readonly string[]
  readonly rows: readonly Row[]
}

export interface Row {
  readonly name: string
  readonly value: Spread
  readonly ratios: readonly Spread[]
}

/** One row for each contender. */
export function sectionOf(about: Omit<Section, 'rows'>, laps: readonly Laps[]): Section {
  const bases = about.ratiosTo.map((name) => named(laps, name))
  const rows = laps.map((each) => {
    return { name: each.name, value: spreadOf(each.values), ratios: bases.map((base) => ratioOf(each, base)) }
  })
  return { ...about, rows }
}

/** A row of what is counted once. */
export function countedRow(name: string, value: number): Row {
  return { name, value: spreadOf([value]), ratios: [] }
}

export function named<T extends { readonly name: string }>(list: readonly T[], name: string): T {
  const found = list.find((each) => each.name === name)
  if (found === undefined) throw new Error(`Nothing here is called ${name}.`)
  return found
}
