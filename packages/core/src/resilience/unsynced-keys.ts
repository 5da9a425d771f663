import type { Check } from '../store.ts'

/** How many that are over go with each new one. */
const sweepSteps = 8

/**
 * Keys of which the store does not know all that was counted here: it had no room to renew what is in flight, or others were first at
 * the key for too long.
 */
export class UnsyncedKeys {
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

  note(check: Check, untilUs: number, nowUs: number): void {
    let steps = sweepSteps
    for (const [name, endUs] of this.#untilUs) {
      if (steps-- === 0 || (endUs > nowUs && this.#untilUs.size < this.#most)) break
      this.#untilUs.delete(name)
    }
    const name = nameOf(check)
    const known = this.#untilUs.get(name) ?? untilUs
    this.#untilUs.delete(name)
    this.#untilUs.set(name, Math.max(known, untilUs))
  }

  release(check: Check): void {
    this.#untilUs.delete(nameOf(check))
  }

  holds(check: Check, nowUs: number): boolean {
    return this.#untilUs.size > 0 && (this.#untilUs.get(nameOf(check)) ?? nowUs) > nowUs
  }
}

function nameOf({ id, key }: Check): string {
  return `${id} ${key}`
}
