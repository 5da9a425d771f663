import { nowMs } from '../exchange.ts'

const everyMs = 5

/** Less is what any timer is late. */
const leastMs = 5

/** What shows whether a process has run, in milliseconds. */
export interface RunningTime {
  /** By the clock. */
  nowMs(): number
  /** Of its processors, for all of its threads. */
  cpuMs(): number
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** By how much this process itself has been late in all. */
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

  /** So much of it this process had no core: while it had one, it was late by its own work. */
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
