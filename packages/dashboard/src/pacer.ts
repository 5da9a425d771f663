/** How long after a second the recorders of all processes have written it. */
const graceMs = 250

/** Takes a step a little after the end of each second, one at a time, from start to stop. */
export class Pacer {
  readonly #nowMs: () => number
  readonly #step: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  #stepping = false
  #started = false

  constructor(nowMs: () => number, step: () => Promise<void>) {
    this.#nowMs = nowMs
    this.#step = step
  }

  /** The first step is taken at once. */
  start(): void {
    if (this.#started) return
    this.#started = true
    if (!this.#stepping) void this.#go()
  }

  stop(): void {
    this.#started = false
    clearTimeout(this.#timer)
  }

  async #go(): Promise<void> {
    this.#stepping = true
    try {
      await this.#step()
    } catch {
      // A custom limiter may throw: pages keep what they have, and the next step tries again.
    }
    this.#stepping = false
    if (!this.#started) return
    const ms = 1000 - (this.#nowMs() % 1000) + graceMs
    this.#timer = setTimeout(() => void this.#go(), ms).unref()
  }
}
