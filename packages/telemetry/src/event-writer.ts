import { longestText, type RecordedEvent, type Sink } from './sink.ts'
import { inTime, type Timer } from './timer.ts'

/** Events that wait while the sink is unavailable; the oldest are dropped. */
const maxWaiting = 200
const soonMs = 100
/** The first attempt after a failure comes a second later, and each further one after twice the time. */
const firstRetryMs = 1000
const maxRetryMs = 60_000

/** The sink's method that stores the events. */
type Method = 'addEvents' | 'addTraffic'

/** Writes events to a sink that stores them: soon, and again until a write succeeds. */
export class EventWriter {
  readonly #sink: Sink
  readonly #method: Method
  readonly #timer: Timer
  #waiting: readonly RecordedEvent[] = []
  #cancelTimer: (() => void) | undefined
  #retryMs = firstRetryMs
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(sink: Sink, method: Method, timer: Timer) {
    this.#sink = sink
    this.#method = method
    this.#timer = timer
  }

  add({ atMs, text }: RecordedEvent): void {
    if (this.#closed || this.#sink[this.#method] === undefined) return
    this.#waiting = [...this.#waiting, { atMs, text: text.slice(0, longestText) }].slice(-maxWaiting)
    this.#arm(soonMs)
  }

  /** Never rejects. */
  flush(): Promise<void> {
    this.#running = this.#running.then(() => this.#write())
    return this.#running
  }

  close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer?.()
    return this.flush()
  }

  #arm(ms: number): void {
    this.#cancelTimer ??= this.#timer(ms, () => {
      this.#cancelTimer = undefined
      void this.flush()
    })
  }

  async #write(): Promise<void> {
    const some = this.#waiting
    if (some.length === 0) return
    try {
      await inTime(this.#add(some), { timer: this.#timer, sink: this.#sink.name })
      this.#waiting = this.#waiting.filter((event) => !some.includes(event))
      this.#retryMs = firstRetryMs
    } catch {
      // Events that were written although the call failed are stored once: a sink drops repeated ones.
      if (this.#closed) return
      this.#arm(this.#retryMs)
      this.#retryMs = Math.min(maxRetryMs, 2 * this.#retryMs)
    }
  }

  async #add(events: readonly RecordedEvent[]): Promise<void> {
    await this.#sink[this.#method]?.(events)
  }
}
