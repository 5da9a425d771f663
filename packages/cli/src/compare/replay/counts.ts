/** Sums by number, from 0 to the highest number used. */
export class Counts {
  #sums = new Float64Array(64)

  of(number: number): number {
    return this.#sums[number] ?? 0
  }

  /** Returns the new sum. */
  add(number: number, units: number): number {
    if (number >= this.#sums.length) this.#grow(number)
    const sum = (this.#sums[number] ?? 0) + units
    this.#sums[number] = sum
    return sum
  }

  /** The number of sums above zero. */
  get positive(): number {
    let positive = 0
    for (const sum of this.#sums) if (sum > 0) positive++
    return positive
  }

  /** At most `most` numbers with a sum, the largest first. */
  largest(most: number): readonly number[] {
    return this.numbers.sort((a, b) => this.of(b) - this.of(a) || a - b).slice(0, most)
  }

  /** The numbers with a sum above zero. */
  get numbers(): number[] {
    const numbers: number[] = []
    for (let number = 0; number < this.#sums.length; number++) if (this.of(number) > 0) numbers.push(number)
    return numbers
  }

  #grow(number: number): void {
    const larger = new Float64Array(Math.max(number + 1, this.#sums.length * 2))
    larger.set(this.#sums)
    this.#sums = larger
  }
}
