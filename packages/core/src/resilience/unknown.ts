import type { Check } from '../store.ts'
import { leaseUs } from '../strategies/definition.ts'

/** How many that are over go with each new one. */
const sweepSteps = 8

/** Keys with requests in flight here of which the store does not know: it had no room to renew them, or could not answer. */
export class Unknown {
  readonly #most: number
  /** Until when the latest word of that matters, in the order in which it came. */
  readonly #untilUs = new Map<string, number>()

  /** `most`: beyond it those go whose word is the oldest. */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#untilUs.size
  }

  note(check: Check, nowUs: number): void {
    let steps = sweepSteps
    for (const [name, untilUs] of this.#untilUs) {
      if (steps-- === 0 || (untilUs > nowUs && this.#untilUs.size < this.#most)) break
      this.#untilUs.delete(name)
    }
    this.#untilUs.delete(nameOf(check))
    this.#untilUs.set(nameOf(check), nowUs + leaseUs(check))
  }

  holds(check: Check, nowUs: number): boolean {
    return this.#untilUs.size > 0 && (this.#untilUs.get(nameOf(check)) ?? nowUs) > nowUs
  }
}

function nameOf({ id, key }: Check): string {
  return `${id} ${key}`
}
