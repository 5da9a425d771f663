import { monotonicClock } from '@sluice/core/internal'

const intervalMs = 20
/** Of what a tick says: a single pause of 100 ms counts as 25 ms, and is forgotten after a few ticks. */
const weight = 0.25

/** The lateness of ticks, apart from who makes them. */
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

  /** With what is late at this moment: those who wait behind a block are decided before its tick comes. */
  get ms(): number {
    const lateMs = this.#nowMs() - this.#dueMs
    return lateMs < 0 ? this.#smoothedMs : this.#smoothedMs + (lateMs - this.#smoothedMs) * weight
  }
}

/** How late this process is with what is due. */
export interface LoopDelay {
  readonly delayMs: number
  close(): void
}

/**
 * By a timer's lateness, in every runtime, from the first time that it is asked: what is never asked has no timer.
 *
 * `monitorEventLoopDelay` of Node has such a timer too, but is read by intervals: it does not know yet of the block behind which the
 * requests have waited that are decided now.
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
    // It keeps no process, where timers can.
    this.#timer.unref?.()
    return lateness
  }
}
