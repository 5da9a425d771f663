import { monotonicClock } from '@sluice/core/internal'

const intervalMs = 20
/** The weight of one tick: a single pause of 100 ms counts as 25 ms, and is forgotten after a few ticks. */
const weight = 0.25

/** The lateness of ticks, whatever makes them. */
export class Lateness {
  readonly #nowMs: () => number
  #dueMs: number
  #smoothedMs = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#dueMs = nowMs() + intervalMs
  }

  tick(): void {
    this.#smoothedMs = this.ms
    this.#dueMs = this.#nowMs() + intervalMs
  }

  /** Includes the lateness at this moment: requests that wait behind a block of the loop are decided before its tick comes. */
  get ms(): number {
    const lateMs = this.#nowMs() - this.#dueMs
    return lateMs < 0 ? this.#smoothedMs : this.#smoothedMs + (lateMs - this.#smoothedMs) * weight
  }
}

/** How late the event loop of this process is. */
export interface LoopDelay {
  readonly delayMs: number
  close(): void
}

/**
 * Measures by a timer's lateness, in every runtime. The timer starts when the delay is first read.
 *
 * `monitorEventLoopDelay` of Node has such a timer too, but is read by intervals: it does not know yet of a block behind which the
 * requests that are decided now have waited.
 */
export class TimedLoopDelay implements LoopDelay {
  #lateness: Lateness | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #closed = false

  get delayMs(): number {
    if (this.#closed) return 0
    this.#lateness ??= this.#start()
    return this.#lateness.ms
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
  }

  #start(): Lateness {
    const lateness = new Lateness(() => monotonicClock.nowUs() / 1000)
    this.#timer = setInterval(() => lateness.tick(), intervalMs)
    // The timer does not keep the process alive, in runtimes where it could.
    this.#timer.unref?.()
    return lateness
  }
}
