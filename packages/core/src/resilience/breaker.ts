import type { StoreEvent } from '../store.ts'

/** Failures in a row that open the circuit: one slow reply does not. */
const failuresToOpen = 3
/** Pause before a probe, lengthened by up to a fifth so that many processes do not probe together. */
const probeEveryMs = 500

/** Whether a store is worth asking. Open: it is spared, and one probe at a time looks whether it answers again. */
export class Breaker {
  readonly #probe: () => Promise<void>
  readonly #tell: (event: Omit<StoreEvent, 'store'>) => void
  #inARow = 0
  #open = false
  #changedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(probe: () => Promise<void>, tell: (event: Omit<StoreEvent, 'store'>) => void) {
    this.#probe = probe
    this.#tell = tell
  }

  get open(): boolean {
    return this.#open
  }

  /** true while the last answer was a failure. */
  get failing(): boolean {
    return this.#inARow > 0
  }

  get sinceMs(): number {
    return Math.floor(performance.now() - this.#changedAt)
  }

  succeeded(): void {
    this.#inARow = 0
  }

  failed(error: Error): void {
    if (this.#closed) return
    this.#inARow++
    this.#tell({ kind: 'failed', error, sinceMs: this.sinceMs })
    if (this.#open || this.#inARow < failuresToOpen) return
    this.#open = true
    this.#change({ kind: 'opened', error })
    this.#schedule()
  }

  /** How long until the next probe at most: what a refused client is told to wait. */
  get retryAfterMs(): number {
    return this.#open ? probeEveryMs * 1.2 : 0
  }

  stop(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    this.#timer = setTimeout(() => this.#tryAgain(), probeEveryMs * (1 + Math.random() / 5))
    this.#timer.unref()
  }

  async #tryAgain(): Promise<void> {
    this.#tell({ kind: 'half-open', sinceMs: this.sinceMs })
    try {
      await this.#probe()
      this.#open = false
      this.#inARow = 0
      this.#change({ kind: 'recovered' })
    } catch {
      if (!this.#closed) this.#schedule()
    }
  }

  #change(event: { kind: StoreEvent['kind']; error?: Error }): void {
    const { sinceMs } = this
    this.#changedAt = performance.now()
    this.#tell({ ...event, sinceMs })
  }
}
