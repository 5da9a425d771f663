import { encodeText } from '@sluice/core/internal'
import type { Data, Labels, Sample } from './sink.ts'
import { allData } from './span.ts'

/** A limiter, one of its policies, or a group in a policy. */
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
  /** Whether these units are waiting to be taken out. */
  changed = false
  readonly subject: Subject
  readonly series: { [data in Data]?: Series } = {}

  constructor(subject: Subject) {
    this.subject = subject
  }
}

/** The units that have changed since they were last taken out. */
export class ChangedUnits {
  readonly #changed: Units[] = []

  add(units: Units): void {
    if (units.changed) return
    units.changed = true
    this.#changed.push(units)
  }

  /** Appends the units since the last call, as samples of a second. */
  takeOut(second: number, to: Sample[]): void {
    for (const units of this.#changed) {
      for (const data of allData) {
        if (units[data] === 0) continue
        units.series[data] ??= seriesOf(data, units.subject)
        const { name, labels } = units.series[data]
        to.push({ series: name, labels, second, units: units[data] })
        units[data] = 0
      }
      units.changed = false
    }
    this.#changed.length = 0
  }
}

function seriesOf(data: Data, { limiter, policy, group }: Subject): Series {
  const first = encodeText(limiter)
  if (policy === undefined) {
    return { name: `${data}:${first}`, labels: { data, limiter } }
  }
  const name = `${data}:${first}:${encodeText(policy)}`
  if (group === undefined) return { name, labels: { data, limiter, policy } }
  return { name: `${name}:${encodeText(group)}`, labels: { data, limiter, policy, group } }
}
