import { encodeText } from '@sluice/core/internal'
import type { Data, Labels, Sample } from './sink.ts'

/** What one series has counted since it was last taken out. */
export interface Series {
  readonly name: string
  readonly labels: Labels
  units: number
  touched: boolean
}

/** What a series is counted for. */
export interface Subject {
  readonly limiter: string
  readonly policy?: string | undefined
  readonly group?: string | undefined
}

/** All series of a recorder: no more than so many, and one for each kind of data besides, into which further ones are folded. */
export class AllSeries {
  readonly others: Readonly<Record<Data, Series>> = {
    hits: otherOf('hits'),
    denied: otherOf('denied'),
    admitted: otherOf('admitted'),
    refused: otherOf('refused'),
    local: otherOf('local'),
  }
  readonly #most: number
  readonly #byName = new Map<string, Series>()
  #touched: Series[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** true where whoever is new counts with the others. */
  get full(): boolean {
    return this.#byName.size >= this.#most
  }

  get(data: Data, subject: Subject): Series {
    const name = nameOf(data, subject)
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    if (this.full) return this.others[data]
    const series = { name, labels: labelsOf(data, subject), units: 0, touched: false }
    this.#byName.set(name, series)
    return series
  }

  count(series: Series, units: number): void {
    if (!series.touched) {
      series.touched = true
      this.#touched.push(series)
    }
    series.units += units
  }

  /** Appends what was counted since the last time, as of a second. */
  takeOut(second: number, to: Sample[]): void {
    for (const series of this.#touched) {
      const { name, labels, units } = series
      if (units !== 0) to.push({ series: name, labels, second, units })
      series.units = 0
      series.touched = false
    }
    this.#touched = []
  }
}

function otherOf(data: Data): Series {
  return { name: `${data}:other`, labels: { data, series: 'other' }, units: 0, touched: false }
}

function nameOf(data: Data, { limiter, policy, group }: Subject): string {
  const first = encodeText(limiter)
  // The name of what further series are folded into is not a limiter's.
  if (policy === undefined) return `${data}:${first === 'other' ? '%6fther' : first}`
  const name = `${data}:${first}:${encodeText(policy)}`
  return group === undefined ? name : `${name}:${encodeText(group)}`
}

function labelsOf(data: Data, { limiter, policy, group }: Subject): Labels {
  if (policy === undefined) return { data, limiter }
  return group === undefined ? { data, limiter, policy } : { data, limiter, policy, group }
}
