import { nowMs } from '../exchange.ts'

const everyMs = 5

/** Less is what any timer is late. */
const leastMs = 5

/** By how much this process itself has been late in all. */
export class Lateness {
  #totalMs = 0
  #withheldMs = 0
  #dueAtMs = nowMs() + everyMs
  #cpu = process.cpuUsage()
  readonly #timer = setInterval(() => this.#look(), everyMs)

  get totalMs(): number {
    return this.#totalMs + this.#lateMs()
  }

  /** So much of it this process had no core: while it had one, it was late by its own work. */
  get withheldMs(): number {
    const { user, system } = process.cpuUsage(this.#cpu)
    return this.#withheldMs + Math.max(0, this.#lateMs() - (user + system) / 1000)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #lateMs(): number {
    const lateMs = nowMs() - this.#dueAtMs
    return lateMs < leastMs ? 0 : lateMs
  }

  #look(): void {
    this.#withheldMs = this.withheldMs
    this.#totalMs = this.totalMs
    this.#dueAtMs = nowMs() + everyMs
    this.#cpu = process.cpuUsage()
  }
}
