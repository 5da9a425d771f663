import type { Timing } from './ledger.ts'
import { bucketsSeconds } from './metric-list.ts'
import type { Labels } from './sink.ts'

const boundsMs = bucketsSeconds.map((seconds) => seconds * 1000)

/** One series of a histogram: how many durations fell into each bucket. */
export class Buckets implements Timing {
  readonly #labels: Labels
  readonly #counts: number[] = boundsMs.map(() => 0)
  #above = 0
  #sumMs = 0

  constructor(labels: Labels) {
    this.#labels = labels
  }

  add(ms: number): void {
    this.#sumMs += ms
    for (let i = 0; i < boundsMs.length; i++) {
      if (ms > (boundsMs[i] ?? 0)) continue
      this.#counts[i] = (this.#counts[i] ?? 0) + 1
      return
    }
    this.#above++
  }

  /** Cumulative buckets, as Prometheus requires. */
  values(name: string): readonly { metricName: string; labels: Labels; value: number }[] {
    const labels = this.#labels
    let total = 0
    const buckets = this.#counts.map((count, i) => {
      total += count
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: String(bucketsSeconds[i]) },
        value: total,
      }
    })
    total += this.#above
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: total },
      { metricName: `${name}_sum`, labels, value: this.#sumMs / 1000 },
      { metricName: `${name}_count`, labels, value: total },
    ]
  }
}
