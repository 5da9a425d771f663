import { nowMs } from '../exchange.ts'

const everyMs = 5

/** Less is what any timer is late. */
const leastMs = 5

/** By how much this process itself has been late in all, as when another one had its core. */
export class Lateness {
  #totalMs = 0
  #dueAtMs = nowMs() + everyMs
  readonly #timer = setInterval(() => this.#look(), everyMs)

  get totalMs(): number {
    const lateMs = nowMs() - this.#dueAtMs
    return this.#totalMs + (lateMs < leastMs ? 0 : lateMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    this.#totalMs = this.totalMs
    this.#dueAtMs = nowMs() + everyMs
  }
}
