import { unitsOf } from './batch.ts'
import type { Ledger } from './ledger.ts'
import { Pending } from './pending.ts'
import type { Sample, Sink } from './sink.ts'
import { StoreTime } from './store-time.ts'
import { inTime, type Timer } from './timer.ts'

/** A second is written this long after its end: most requests that began in it have been counted by then. */
const afterSecondMs = 100

/** Clocks and timers, replaced in tests. */
export interface World {
  /** A time that never steps. */
  readonly localMs: () => number
  /** The time since 1970, for a sink without a clock. */
  readonly wallMs: () => number
  readonly timer: Timer
}

/** Notified about the results of writes. */
export interface WriterListener {
  lost(error: unknown): void
  wrote(): void
}

/** Writes counts to the sink, about once a second, one batch at a time. */
export class Writer {
  readonly #sink: Sink
  readonly #ledger: Ledger
  readonly #world: World
  readonly #listener: WriterListener
  readonly #time: StoreTime
  readonly #pending = new Pending()
  #second = 0
  #lostUnits = 0
  #cancelTimer: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  /** The latest failure to read the sink's clock. */
  #failure: unknown
  #closed = false

  constructor(parts: { sink: Sink; ledger: Ledger; world: World; listener: WriterListener }) {
    this.#sink = parts.sink
    this.#ledger = parts.ledger
    this.#world = parts.world
    this.#listener = parts.listener
    this.#time = new StoreTime(this.#world.localMs, this.#world.wallMs())
  }

  get lostUnits(): number {
    return this.#lostUnits
  }

  nowMs(): number {
    return this.#time.nowMs()
  }

  /** Call this before counting: earlier counts belong to the second in which they were made. Returns the time now. */
  turn(): number {
    const nowMs = this.#time.nowMs()
    const second = Math.floor(nowMs / 1000)
    if (second !== this.#second) {
      this.#ledger.takeOut(this.#second, this.#pending.samples)
      this.#second = second
    }
    if (this.#cancelTimer === undefined) this.#arm()
    return nowMs
  }

  /** Flushes one at a time. All calls during a flush share the next one. */
  flush(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#running = this.#next ?? this.#running
      this.#next = undefined
      return this.#write()
    })
    return this.#next
  }

  /** Writes what is pending, or counts it as lost: nothing is written afterwards. */
  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer?.()
    await this.flush()
    this.#ledger.takeOut(this.#second, this.#pending.samples)
    this.#lose(unitsOf(this.#pending.takeOut()), this.#failure)
  }

  #arm(): void {
    const ms = 1000 - (this.#time.nowMs() % 1000) + afterSecondMs
    this.#cancelTimer = this.#world.timer(ms, () => {
      void this.flush().then(() => this.#afterFlush())
    })
  }

  #afterFlush(): void {
    this.#cancelTimer = undefined
    this.#ledger.takeOut(this.#second, this.#pending.samples)
    if (!this.#pending.empty && !this.#closed) this.#arm()
  }

  async #write(): Promise<void> {
    try {
      await this.#readTime()
    } catch (error) {
      // Nothing was sent, so nothing is lost yet.
      this.#failure = error
      this.#lose(this.#pending.dropOld(Math.floor(this.#time.nowMs() / 1000)), error)
      return
    }
    this.#ledger.takeOut(this.#second, this.#pending.samples)
    const batch = this.#pending.takeOut()
    if (batch.length === 0) return
    try {
      await this.#bounded(async () => this.#sink.write(batch))
      this.#listener.wrote()
    } catch (error) {
      // The batch may have been written: sending it again could count it twice.
      this.#lose(lostOf(batch, error), error)
    }
  }

  async #readTime(): Promise<void> {
    const askedAtMs = this.#time.localMs()
    const asked = this.#sink.nowMs?.()
    const nowMs = await this.#bounded(async () => asked ?? this.#world.wallMs())
    if (!Number.isFinite(nowMs)) throw new TypeError(`the clock of the sink returned ${nowMs}`)
    const first = !this.#time.known
    const byMs = this.#time.observe(askedAtMs, nowMs)
    if (typeof asked === 'number') this.#time.follow(() => this.#sink.nowMs?.())
    if (!first) return
    const bySeconds = Math.round(byMs / 1000)
    this.#pending.shift(bySeconds)
    this.#second += bySeconds
  }

  #bounded<T>(call: () => Promise<T>): Promise<T> {
    return inTime(call(), { timer: this.#world.timer, sink: this.#sink.name })
  }

  #lose(units: number, error: unknown): void {
    if (units === 0) return
    this.#lostUnits += units
    this.#listener.lost(error)
  }
}

function lostOf(batch: readonly Sample[], error: unknown): number {
  if (typeof error !== 'object' || error === null || !('units' in error)) return unitsOf(batch)
  return typeof error.units === 'number' ? error.units : unitsOf(batch)
}
