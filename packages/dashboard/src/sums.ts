/**
 * Units per second, kept as running sums: the units between two seconds are one subtraction. Keeps a fixed number of seconds,
 * and allocates memory with the first unit.
 */
export class Sums {
  readonly #length: number
  #sums: Float64Array | undefined
  /** Subtracted from all seconds: small numbers divide faster. */
  #origin = 0
  /** The seconds that are known; before the first there was nothing. */
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  constructor(seconds: number) {
    this.#length = seconds + 1
  }

  /** Whether there was no unit yet. */
  get empty(): boolean {
    return this.#sums === undefined
  }

  /** Sets the second after the last one, or corrects an earlier one; then all seconds after it must follow. */
  append(second: number, units: number): void {
    this.#last = Math.max(this.#last, second)
    this.#first = Math.max(Math.min(this.#first, second), this.#last - this.#length + 2)
    if (this.#sums === undefined && units === 0) return
    const sums = this.#made()
    sums[this.#at(second)] = (sums[this.#at(second - 1)] ?? 0) + units
  }

  /** Sets the second before the first. */
  prepend(second: number, units: number): void {
    if (second - 1 <= this.#last - this.#length) return
    this.#first = second
    if (this.#sums === undefined && units === 0) return
    const sums = this.#made()
    sums[this.#at(second - 1)] = (sums[this.#at(second)] ?? 0) - units
  }

  /** Units in `seconds` seconds, of which `second` is the last. */
  in(second: number, seconds: number): number {
    if (this.#sums === undefined) return 0
    const before = Math.max(second - seconds, this.#first - 1)
    if (before >= second) return 0
    return (this.#sums[this.#at(second)] ?? 0) - (this.#sums[this.#at(before)] ?? 0)
  }

  /** The most units in any `seconds` seconds that end between `from` and `to`, both included. */
  most(from: number, to: number, seconds: number): number {
    const sums = this.#sums
    if (sums === undefined) return 0
    let most = 0
    const known = Math.max(from, this.#first)
    let at = this.#at(known)
    let before = this.#at(Math.max(known - seconds, this.#first - 1))
    for (let second = known; second <= to; second++) {
      const units = (sums[at] ?? 0) - (sums[before] ?? 0)
      if (units > most) most = units
      at = this.#next(at)
      if (second + 1 - seconds >= this.#first) before = this.#next(before)
    }
    return most
  }

  #at(second: number): number {
    return ((second - this.#origin) | 0) % this.#length
  }

  #next(at: number): number {
    return at + 1 === this.#length ? 0 : at + 1
  }

  /** The array of sums, made with the first unit that is not 0: every sum before that is 0. */
  #made(): Float64Array {
    if (this.#sums === undefined) {
      this.#origin = this.#last - 2 * this.#length
      this.#sums = new Float64Array(this.#length)
    }
    return this.#sums
  }
}
