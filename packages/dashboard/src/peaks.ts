import { hourSeconds } from './row-info.ts'

/** The largest number of each second in the last hour; 0 where none was seen. */
export class Peaks {
  readonly #seconds = new Uint32Array(hourSeconds + 1)
  readonly #peaks = new Float32Array(hourSeconds + 1)

  see(second: number, value: number): void {
    const at = second % this.#seconds.length
    this.#peaks[at] = this.#seconds[at] === second ? Math.max(this.#peaks[at] ?? 0, value) : value
    this.#seconds[at] = second
  }

  /** Between two seconds, both included. */
  most(from: number, to: number): number {
    let most = 0
    for (let second = from; second <= to; second++) {
      const at = second % this.#seconds.length
      if (this.#seconds[at] === second) most = Math.max(most, this.#peaks[at] ?? 0)
    }
    return most
  }
}
