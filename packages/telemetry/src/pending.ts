import { unitsOf } from './batch.ts'
import type { Sample } from './sink.ts'

/** How long samples wait for an unavailable sink. */
const maxAgeSeconds = 60

/** Samples that are not written yet, the oldest first. */
export class Pending {
  #samples: Sample[] = []

  get empty(): boolean {
    return this.#samples.length === 0
  }

  /** Append samples here. */
  get samples(): Sample[] {
    return this.#samples
  }

  takeOut(): readonly Sample[] {
    const samples = this.#samples
    this.#samples = []
    return samples
  }

  /** Corrects the seconds of all samples after the clock was corrected. */
  shift(bySeconds: number): void {
    if (bySeconds === 0) return
    this.#samples = this.#samples.map((sample) => ({ ...sample, second: sample.second + bySeconds }))
  }

  /** Drops samples that are too old, and returns their units. */
  dropOld(nowSecond: number): number {
    const earliest = nowSecond - maxAgeSeconds
    const old = this.#samples.filter(({ second }) => second < earliest)
    if (old.length > 0) this.#samples = this.#samples.filter(({ second }) => second >= earliest)
    return unitsOf(old)
  }
}
