/** The most ends of fixed windows that a chart can distinguish. */
const maxKept = 128

/** When the fixed windows of a row ended, or will, in seconds since 1970. */
export class Edges {
  readonly #ends: number[] = []
  readonly #windowSeconds: number

  constructor(windowSeconds: number) {
    this.#windowSeconds = windowSeconds
  }

  /** All decisions of a window give almost the same end. */
  see(endSecond: number): void {
    // After the clock was set back, earlier ends lie in the future.
    while ((this.#ends.at(-1) ?? 0) > endSecond + 2 * this.#windowSeconds) this.#ends.pop()
    const last = this.#ends.at(-1)
    if (last !== undefined && endSecond - last < this.#windowSeconds / 2) return
    this.#ends.push(endSecond)
    if (this.#ends.length > maxKept) this.#ends.shift()
  }

  /** The ends of windows that reach into a span. */
  since(fromSecond: number): readonly number[] {
    return this.#ends.filter((end) => end > fromSecond)
  }
}
