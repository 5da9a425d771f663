import type { Window } from './algorithm.ts'

/**
 * Adds up samples to windows of at least a time and a number of samples.
 *
 * After a change of the limit a window begins one latency later (a probe three): requests that end before that were admitted under the
 * earlier limit. All requests that end in the window count, whenever they began: to count only those that also began in it would leave
 * out the slow ones.
 */
export class WindowMeter implements Window {
  answered = 0
  dropped = 0
  mostInFlight = 0
  readonly #lengthUs: number
  readonly #samples: number
  #beginsUs: number
  #sumUs = 0

  constructor(about: { lengthUs: number; samples: number; nowUs: number }) {
    this.#lengthUs = about.lengthUs
    this.#samples = about.samples
    this.#beginsUs = about.nowUs
  }

  get latencyUs(): number {
    return this.answered === 0 ? 0 : this.#sumUs / this.answered
  }

  /** Notes how many places are held: call it after one is taken, and before one is given back. */
  saw(inFlight: number, nowUs: number): void {
    if (nowUs >= this.#beginsUs && inFlight > this.mostInFlight) this.mostInFlight = inFlight
  }

  add(latencyUs: number, nowUs: number): void {
    if (nowUs < this.#beginsUs) return
    this.answered++
    this.#sumUs += latencyUs
  }

  drop(nowUs: number): void {
    if (nowUs >= this.#beginsUs) this.dropped++
  }

  isFull(nowUs: number): boolean {
    return this.answered + this.dropped >= this.#samples && nowUs - this.#beginsUs >= this.#lengthUs
  }

  beginAt(beginsUs: number): void {
    this.answered = 0
    this.dropped = 0
    this.mostInFlight = 0
    this.#sumUs = 0
    this.#beginsUs = beginsUs
  }
}
