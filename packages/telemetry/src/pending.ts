import { unitsOf } from './batch.ts'
import type { Sample } from './sink.ts'

/** Samples wait this long for a sink that is away. */
const maxAgeSeconds = 60

/** What was counted and is not written yet, the oldest first. */
export class Pending {
  #samples: Sample[] = []

  get empty(): boolean {
    return this.#samples.length === 0
  }

  /** Append here what is to wait. */
  get samples(): Sample[] {
    return this.#samples
  }

  takeOut(): readonly Sample[] {
    const samples = this.#samples
    this.#samples = []
    return samples
  }

  /** The clock by which it was counted was wrong. */
  shift(bySeconds: number): void {
    if (bySeconds === 0) return
    this.#samples = this.#samples.map((sample) => ({ ...sample, second: sample.second + bySeconds }))
  }

  /** Drops samples that are too old, and answers their units. */
  dropOld(nowSecond: number): number {
    const earliest = nowSecond - maxAgeSeconds
    const old = this.#samples.filter(({ second }) => second < earliest)
    if (old.length > 0) this.#samples = this.#samples.filter(({ second }) => second >= earliest)
    return unitsOf(old)
  }
}
