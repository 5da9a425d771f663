import { encodeText } from '@sluice/core/internal'
import type { Data, Labels, Sample } from './sink.ts'
import { allData } from './span.ts'

/** A limiter, one of its policies, or a group in that. */
export interface Subject {
  readonly limiter: string
  readonly policy?: string | undefined
  readonly group?: string | undefined
}

interface Series {
  readonly name: string
  readonly labels: Labels
}

/** The units of one subject since a recorder last took them out. */
export class Units implements Record<Data, number> {
  hits = 0
  denied = 0
  admitted = 0
  refused = 0
  local = 0
  /** Whether it is waiting to be taken out. */
  changed = false
  readonly subject: Subject
  readonly series: { [data in Data]?: Series } = {}

  constructor(subject: Subject) {
    this.subject = subject
  }
}

/** The units that have changed, and the series for them: at most `maxSeries`, and one of each kind for all others. */
export class ChangedUnits {
  readonly #changed: Units[] = []
  readonly #other = new Units({ limiter: 'other' })
  #seriesLeft: number

  constructor(maxSeries: number) {
    this.#seriesLeft = maxSeries
    for (const data of allData) {
      this.#other.series[data] = { name: `${data}:other`, labels: { data, series: 'other' } }
    }
  }

  add(units: Units): void {
    if (units.changed) return
    units.changed = true
    this.#changed.push(units)
  }

  /** Appends the units since the last call, as samples of a second. */
  takeOut(second: number, to: Sample[]): void {
    // `#other` comes last, if it has units.
    for (const units of this.#changed) {
      for (const data of allData) if (units[data] !== 0) this.#takeOne(units, data, { second, to })
      units.changed = false
    }
    this.#changed.length = 0
  }

  #takeOne(units: Units, data: Data, { second, to }: { second: number; to: Sample[] }): void {
    const series = units.series[data] ?? this.#newSeries(units, data)
    if (series === undefined) {
      this.#other[data] += units[data]
      this.add(this.#other)
    } else to.push({ series: series.name, labels: series.labels, second, units: units[data] })
    units[data] = 0
  }

  #newSeries(units: Units, data: Data): Series | undefined {
    if (this.#seriesLeft <= 0) return undefined
    this.#seriesLeft--
    const series = seriesOf(data, units.subject)
    units.series[data] = series
    return series
  }
}

function seriesOf(data: Data, { limiter, policy, group }: Subject): Series {
  const first = encodeText(limiter)
  if (policy === undefined) {
    // `admitted:other` is the series of limiters without their own.
    return { name: `${data}:${first === 'other' ? '%6fther' : first}`, labels: { data, limiter } }
  }
  const name = `${data}:${first}:${encodeText(policy)}`
  if (group === undefined) return { name, labels: { data, limiter, policy } }
  return { name: `${name}:${encodeText(group)}`, labels: { data, limiter, policy, group } }
}
