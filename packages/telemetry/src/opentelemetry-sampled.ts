import type { Histogram } from '@opentelemetry/api'
import type { Timing } from './ledger.ts'
import type { Labels } from './sink.ts'

/** Recording a duration costs more than all other metrics of a decision. */
const oneIn = 16

/** One series of a histogram: every sixteenth duration, from the first one on. */
export class Sampled implements Timing {
  readonly #histogram: Histogram
  readonly #labels: Labels
  #skip = 0

  constructor(histogram: Histogram, labels: Labels) {
    this.#histogram = histogram
    this.#labels = labels
  }

  add(ms: number): void {
    if (this.#skip-- > 0) return
    this.#skip = oneIn - 1
    this.#histogram.record(ms / 1000, this.#labels)
  }
}
