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

/** What one subject has counted since a recorder last took it out. */
export class Units implements Record<Data, number> {
  hits = 0
  denied = 0
  admitted = 0
  refused = 0
  local = 0
  /** true while it waits to be taken out. */
  changed = false
  readonly subject: Subject
  readonly series: { [data in Data]?: Series } = {}

  constructor(subject: Subject) {
    this.subject = subject
  }
}

/** The units that have changed, and the series they are recorded in: at most `maxSeries`, and one of each kind for all others. */
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

  /** Appends what was counted since the last call, as of a second. */
  takeOut(second: number, to: Sample[]): void {
    // The last is `#other`, where there is any.
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
    // `admitted:other` is the series of the limiters that have none of their own.
    return { name: `${data}:${first === 'other' ? '%6fther' : first}`, labels: { data, limiter } }
  }
  const name = `${data}:${first}:${encodeText(policy)}`
  if (group === undefined) return { name, labels: { data, limiter, policy } }
  return { name: `${name}:${encodeText(group)}`, labels: { data, limiter, policy, group } }
}
