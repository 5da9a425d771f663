/** A step back further than this is no inaccuracy: the server's clock was set. */
const longestHoldMs = 5000

/** The time on the sink's clock, as of this process's own. Inaccuracies never make it go back. */
export class StoreTime {
  readonly #localMs: () => number
  #offsetMs = 0
  #known = false
  #lastMs = 0

  /** `localMs` never steps; `guessMs` serves until the sink has told its time. */
  constructor(localMs: () => number, guessMs: number) {
    this.#localMs = localMs
    this.#offsetMs = guessMs - localMs()
  }

  get known(): boolean {
    return this.#known
  }

  nowMs(): number {
    const nowMs = this.#localMs() + this.#offsetMs
    if (nowMs > this.#lastMs) this.#lastMs = nowMs
    return this.#lastMs
  }

  localMs(): number {
    return this.#localMs()
  }

  /** What the sink told, and when it was asked. Answers by how much the time was corrected. */
  observe(askedAtMs: number, serverMs: number): number {
    const beforeMs = this.#offsetMs
    this.#offsetMs = serverMs - (askedAtMs + this.#localMs()) / 2
    const byMs = this.#offsetMs - beforeMs
    if (!this.#known || byMs < -longestHoldMs) this.#lastMs = 0
    this.#known = true
    return byMs
  }
}
