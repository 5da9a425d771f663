/** Two looks fit into the second within which a change must be in force. */
const everyMs = 400

/** Looks again and again, one look at a time. */
export class Polling {
  readonly #look: () => Promise<void>
  readonly #timer: NodeJS.Timeout
  #underWay: Promise<void> | undefined
  #closed = false

  /** `look` never rejects. `tick` is called as often, also while a look is under way. */
  constructor(look: () => Promise<void>, tick?: () => void) {
    this.#look = look
    this.#timer = setInterval(() => {
      tick?.()
      void this.once()
    }, everyMs)
    this.#timer.unref()
    void this.once()
  }

  /** Resolves after the look that is under way, or else after one more. */
  once(): Promise<void> {
    if (this.#closed) return Promise.resolve()
    this.#underWay ??= this.#look().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  /** Looks once more after a change: a look that is under way may have been answered before it. */
  async afresh(): Promise<void> {
    await this.#underWay
    await this.once()
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
  }
}
