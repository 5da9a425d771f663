import { nowMs } from '../exchange.ts'

const everyMs = 5

/** Any timer may be late by less than this. */
const leastMs = 5

/** The clocks that show whether a process has run, in milliseconds. */
export interface RunningTime {
  /** The time that has passed. */
  nowMs(): number
  /** The processor time of all of its threads. */
  cpuMs(): number
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Sums up by how much this process itself has been late. */
export class Lateness {
  readonly #time: RunningTime
  #totalMs = 0
  #withheldMs = 0
  #dueAtMs: number
  #cpuMs: number
  readonly #timer = setInterval(() => this.#look(), everyMs)

  constructor(time: RunningTime = { nowMs, cpuMs: ownCpuMs }) {
    this.#time = time
    this.#dueAtMs = time.nowMs() + everyMs
    this.#cpuMs = time.cpuMs()
  }

  get totalMs(): number {
    return this.#totalMs + this.#lateMs()
  }

  /** The part of the lateness during which this process had no core: while it had one, it was late by its own work. */
  get withheldMs(): number {
    return this.#withheldMs + Math.max(0, this.#lateMs() - (this.#time.cpuMs() - this.#cpuMs))
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #lateMs(): number {
    const lateMs = this.#time.nowMs() - this.#dueAtMs
    return lateMs < leastMs ? 0 : lateMs
  }

  #look(): void {
    this.#withheldMs = this.withheldMs
    this.#totalMs = this.totalMs
    this.#dueAtMs = this.#time.nowMs() + everyMs
    this.#cpuMs = this.#time.cpuMs()
  }
}
