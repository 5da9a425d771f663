/** A longer step back is not jitter: the server's clock was set. */
const maxJitterMs = 5000

/** The time of the sink's clock: read from it if it answers at once, else derived from this process's. Jitter never makes it go back. */
export class StoreTime {
  readonly #localMs: () => number
  #offsetMs = 0
  #known = false
  #lastMs = 0
  #clock: (() => unknown) | undefined

  /** `localMs` never steps; `guessMs` is used until the sink's time is known. */
  constructor(localMs: () => number, guessMs: number) {
    this.#localMs = localMs
    this.#offsetMs = guessMs - localMs()
  }

  get known(): boolean {
    return this.#known
  }

  nowMs(): number {
    const sinkMs = this.#clock?.()
    const known = typeof sinkMs === 'number' && Number.isFinite(sinkMs)
    const nowMs = known ? sinkMs : this.#localMs() + this.#offsetMs
    if (nowMs > this.#lastMs) this.#lastMs = nowMs
    return this.#lastMs
  }

  localMs(): number {
    return this.#localMs()
  }

  /** From now on reads a clock that answers at once, so that two recorders on one clock count a decision in the same second. */
  follow(clock: () => unknown): void {
    this.#clock = clock
  }

  /** Sets the sink's time and when it was requested. Returns by how much the time was corrected. */
  observe(askedAtMs: number, serverMs: number): number {
    const beforeMs = this.#offsetMs
    this.#offsetMs = serverMs - (askedAtMs + this.#localMs()) / 2
    const byMs = this.#offsetMs - beforeMs
    if (!this.#known || byMs < -maxJitterMs) this.#lastMs = 0
    this.#known = true
    return byMs
  }
}
