/** Numbers by chance that a seed decides (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    // Seeds that follow each other begin far apart.
    this.#state = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b) ^ 0x9e3779b9
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number, both ends included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  one<T>(list: readonly T[]): T {
    const chosen = list[Math.floor(this.next() * list.length)]
    if (chosen === undefined) throw new RangeError('nothing to choose from')
    return chosen
  }

  /** Another series: what is drawn from it changes nothing that is drawn here, and the other way round. */
  apart(salt: number): Random {
    return new Random(Math.imul(this.#state ^ salt, 0x27d4eb2f))
  }
}
