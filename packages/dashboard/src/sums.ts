/**
 * Units by second, kept as running sums: what lies between two instants is one difference. Of as many seconds as it was made for, the
 * older ones are forgotten. Room is taken with the first unit.
 */
export class Sums {
  readonly #length: number
  #sums: Float64Array | undefined
  /** The seconds that are known; before the first there was nothing. */
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  constructor(seconds: number) {
    this.#length = seconds + 1
  }

  /** true while there was no unit. */
  get empty(): boolean {
    return this.#sums === undefined
  }

  /** The second behind the last, or one of the last to be corrected: then all those behind it follow. */
  append(second: number, units: number): void {
    this.#last = Math.max(this.#last, second)
    this.#first = Math.max(Math.min(this.#first, second), this.#last - this.#length + 2)
    if (this.#sums === undefined && units === 0) return
    const sums = this.#made()
    sums[second % this.#length] = (sums[(second - 1) % this.#length] ?? 0) + units
  }

  /** The second before the first. */
  prepend(second: number, units: number): void {
    if (second - 1 <= this.#last - this.#length) return
    this.#first = second
    if (this.#sums === undefined && units === 0) return
    const sums = this.#made()
    sums[(second - 1) % this.#length] = (sums[second % this.#length] ?? 0) - units
  }

  /** Units in so many seconds, of which `second` is the last. */
  in(second: number, seconds: number): number {
    if (this.#sums === undefined) return 0
    const before = Math.max(second - seconds, this.#first - 1)
    if (before >= second) return 0
    return (this.#sums[second % this.#length] ?? 0) - (this.#sums[before % this.#length] ?? 0)
  }

  /** Until now every unit was 0, and so is every sum. */
  #made(): Float64Array {
    this.#sums ??= new Float64Array(this.#length)
    return this.#sums
  }
}
