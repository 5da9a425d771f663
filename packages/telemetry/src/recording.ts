import type { Decision, Observer, StoreEvent, Warning } from '@sluice/core'
import { Reports } from '@sluice/core/limiter'
import { unitsOf } from './batch.ts'
import { Counts } from './counts.ts'
import { Pending } from './pending.ts'
import type { Recorder } from './recorder.ts'
import type { Settled } from './recorder-options.ts'
import type { Points, Sample, Sink, SinkQuery } from './sink.ts'
import { StoreTime } from './store-time.ts'
import { type Timer, within } from './timer.ts'
import { Watchers } from './watchers.ts'

/** So long after the end of a second it is written: requests that were under way in it have mostly been counted by then. */
const afterSecondMs = 100
/** Sinks of our own give up sooner. */
const longestCallMs = 5000
const longestGroup = 100

/** What of the outer world a recorder needs. */
export interface World {
  /** Never steps. */
  readonly localMs: () => number
  /** The time since 1970 where the sink tells none. */
  readonly wallMs: () => number
  readonly timer: Timer
}

type About<Method extends keyof Observer> = Parameters<NonNullable<Observer[Method]>>

export class Recording implements Recorder {
  readonly #sink: Sink
  readonly #settled: Settled
  readonly #world: World
  readonly #time: StoreTime
  readonly #counts: Counts
  readonly #pending = new Pending()
  readonly #watchers = new Watchers()
  #reports: Reports
  #second = 0
  #lostUnits = 0
  #callOff: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(sink: Sink, settled: Settled, world: World) {
    this.#sink = sink
    this.#settled = settled
    this.#world = world
    this.#time = new StoreTime(world.localMs, world.wallMs())
    this.#counts = new Counts(settled.maxSeries)
    this.#reports = new Reports([this.#watchers], settled.logger)
  }

  get lostUnits(): number {
    return this.#lostUnits
  }

  nowMs(): number {
    return this.#time.nowMs()
  }

  watch(observer: Observer): () => void {
    return this.#watchers.add(observer)
  }

  decided(decision: Decision, about: About<'decided'>[1]): void {
    if (this.#closing !== undefined) return
    if (about.operation !== 'peek') {
      this.#turn()
      this.#counts.add(decision, this.#settled.series === undefined ? '' : this.#groupOf(decision))
    }
    this.#watchers.decided(decision, about)
  }

  adjusted(about: About<'adjusted'>[0]): void {
    if (this.#closing !== undefined) return
    this.#turn()
    this.#counts.correct(about)
    this.#watchers.adjusted(about)
  }

  lost(about: About<'lost'>[0]): void {
    this.#watchers.lost(about)
  }

  storeFailed(event: StoreEvent): void {
    this.#watchers.storeFailed(event)
  }

  storeRecovered(event: StoreEvent): void {
    this.#watchers.storeRecovered(event)
  }

  warned(warning: Warning): void {
    this.#watchers.warned(warning)
  }

  async query(query: SinkQuery): Promise<readonly Points[]> {
    await this.flush()
    return this.#sink.query(query)
  }

  /** One at a time; whoever asks meanwhile waits for one more, which all of them share. */
  flush(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#running = this.#next ?? this.#running
      this.#next = undefined
      return this.#write()
    })
    return this.#next
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#callOff?.()
    await this.flush()
    await this.#sink.close?.()
  }

  /** What was counted up to now belongs to the second that was then. */
  #turn(): void {
    const second = Math.floor(this.#time.nowMs() / 1000)
    if (second !== this.#second) {
      this.#counts.takeOut(this.#second, this.#pending.samples)
      this.#second = second
    }
    if (this.#callOff === undefined) this.#arm()
  }

  #arm(): void {
    const ms = 1000 - (this.#time.nowMs() % 1000) + afterSecondMs
    this.#callOff = this.#world.timer(ms, () => {
      void this.flush().then(() => this.#afterFlush())
    })
  }

  #afterFlush(): void {
    this.#callOff = undefined
    this.#counts.takeOut(this.#second, this.#pending.samples)
    if (!this.#pending.empty && this.#closing === undefined) this.#arm()
  }

  async #write(): Promise<void> {
    try {
      await this.#readTime()
    } catch (error) {
      // Nothing was sent, so nothing is lost yet.
      this.#lose(this.#pending.dropOld(Math.floor(this.#time.nowMs() / 1000)), error)
      return
    }
    this.#counts.takeOut(this.#second, this.#pending.samples)
    const batch = this.#pending.takeOut()
    if (batch.length === 0) return
    try {
      await this.#bounded(async () => this.#sink.write(batch))
      this.#reports = new Reports([this.#watchers], this.#settled.logger)
    } catch (error) {
      // It may have been written all the same: sent again it would count twice.
      this.#lose(lostOf(batch, error), error)
    }
  }

  async #readTime(): Promise<void> {
    const askedAtMs = this.#time.localMs()
    const nowMs = await this.#bounded(async () => this.#sink.nowMs?.() ?? this.#world.wallMs())
    if (!Number.isFinite(nowMs)) throw new TypeError(`the sink told no time but ${nowMs}`)
    const first = !this.#time.known
    const byMs = this.#time.observe(askedAtMs, nowMs)
    if (!first) return
    const bySeconds = Math.round(byMs / 1000)
    this.#pending.shift(bySeconds)
    this.#second += bySeconds
  }

  #bounded<T>(call: () => Promise<T>): Promise<T> {
    return within(call(), { ms: longestCallMs, timer: this.#world.timer, sink: this.#sink.name })
  }

  #lose(units: number, error: unknown): void {
    if (units === 0) return
    this.#lostUnits += units
    const why = error instanceof Error ? error.message : String(error)
    this.#reports.warned({
      code: 'SLUICE_RECORDING_LOST',
      message: `what was counted could not be recorded in ${this.#sink.name}, and is lost: ${why}`,
    })
  }

  #groupOf(decision: Decision): string {
    try {
      const group: unknown = this.#settled.series?.(decision)
      if (typeof group === 'string') return group.slice(0, longestGroup)
    } catch {
      // Told below.
    }
    this.#reports.warned({
      code: 'SLUICE_SERIES_FAILED',
      message:
        'the function `series` of a recorder throws or answers no text: those decisions are in no group',
    })
    return ''
  }
}

function lostOf(batch: readonly Sample[], error: unknown): number {
  if (typeof error !== 'object' || error === null || !('units' in error)) return unitsOf(batch)
  return typeof error.units === 'number' ? error.units : unitsOf(batch)
}
