import { type Laps, ratioOf, type Spread, spreadOf } from './rounds.ts'

/** What was measured together. */
export interface Section {
  readonly id: string
  readonly title: string
  readonly unit: 'a second' | 'µs' | 'bytes'
  /** What the ratios of each row are to. */
  readonly ratiosTo: readonly string[]
  readonly rows: readonly Row[]
}

export interface Row {
  readonly name: string
  readonly value: Spread
  readonly ratios: readonly Spread[]
}

/** One row for each contender, with ratios to those that are named. */
export function sectionOf(about: Omit<Section, 'rows'>, laps: readonly Laps[]): Section {
  const bases = about.ratiosTo.map((name) => lapsNamed(laps, name))
  const rows = laps.map((each) => {
    return { name: each.name, value: spreadOf(each.values), ratios: bases.map((base) => ratioOf(each, base)) }
  })
  return { ...about, rows }
}

function lapsNamed(laps: readonly Laps[], name: string): Laps {
  const found = laps.find((each) => each.name === name)
  if (found === undefined) throw new Error(`No contender is called ${name}.`)
  return found
}

/** A row of what has no spread. */
export function exactRow(name: string, value: number): Row {
  return { name, value: spreadOf([value]), ratios: [] }
}
