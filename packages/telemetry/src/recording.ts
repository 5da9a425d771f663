import type { Decision, Observer, StoreEvent, Warning } from '@sluice/core'
import { observing } from '@sluice/core/internal'
import { Room } from './bounded.ts'
import { EventWriter } from './event-writer.ts'
import { Ledger, maxNames } from './ledger.ts'
import type { RecorderSettings } from './recorder-options.ts'
import type { Points, RecordedEvent, Sink, SinkQuery } from './sink.ts'
import { TrafficRecording } from './traffic/traffic-recording.ts'
import { Watchers } from './watchers.ts'
import { type World, Writer } from './writer.ts'

const maxGroupLength = 100
const untimed = { add() {} }

type ArgumentsOf<Method extends keyof Observer> = Parameters<NonNullable<Observer[Method]>>

/** Counts decisions of limiters, for charts. Add it to the `observers` of each. */
export interface Recorder extends Observer {
  /** Reads counts, after writing what is pending in this process. */
  query: Sink['query']
  /** Keeps an event in a sink that stores events, as those in Redis and in memory do: soon, and later if the sink is unavailable. */
  addEvent(event: RecordedEvent): void
  /** The events of all processes since `fromMs`, the oldest first; none if the sink stores none. */
  events(fromMs: number): Promise<readonly RecordedEvent[]>
  /** Forwards everything that the recorder observes and its own warnings; returns a function that stops it. */
  watch(observer: Observer): () => void
  /** Writes what is pending. Never rejects. */
  flush(): Promise<void>
  /** The time on the sink's clock, since 1970, as far as it is known. */
  nowMs(): number
  /** Units that were not, or may not have been, written. */
  readonly lostUnits: number
  /** Writes what is pending, and closes the sink. Nothing is counted afterwards. */
  close(): Promise<void>
}

export class Recording implements Recorder {
  readonly #sink: Sink
  readonly #settings: RecorderSettings
  readonly #ledger: Ledger
  readonly #writer: Writer
  readonly #events: EventWriter
  readonly #traffic: TrafficRecording | undefined
  readonly #trafficWriter: EventWriter
  readonly #watchers = new Watchers()
  readonly #reports: observing.Reports
  /** Replaced when recording works again, as each of these reports its warning once. */
  #losses: observing.Reports
  #closing: Promise<void> | undefined
  /** When what is being forwarded was counted: a watching recorder counts it in the same second. */
  #countedMs: number | undefined

  constructor(sink: Sink, settings: RecorderSettings, world: World) {
    this.#sink = sink
    this.#settings = settings
    this.#reports = this.#newReports()
    const names = new Room(maxNames, () => this.#warnOfNames())
    const groups = new Room(settings.maxSeries, () => this.#warnOfGroups())
    this.#ledger = new Ledger({ rooms: { names, groups }, nearLimit: 1, timing: () => untimed })
    this.#losses = this.#newReports()
    const listener = {
      lost: (error: unknown) => this.#warnOfLoss(error),
      wrote: () => {
        this.#losses = this.#newReports()
      },
    }
    this.#writer = new Writer({ sink, ledger: this.#ledger, world, listener })
    this.#events = new EventWriter(sink, 'addEvents', world.timer)
    this.#trafficWriter = new EventWriter(sink, 'addTraffic', world.timer)
    this.#traffic = this.#newTraffic(world.timer)
  }

  get lostUnits(): number {
    return this.#writer.lostUnits
  }

  nowMs(): number {
    return this.#countedMs ?? this.#writer.nowMs()
  }

  watch(observer: Observer): () => void {
    return this.#watchers.add(observer)
  }

  decided(decision: Decision, about: ArgumentsOf<'decided'>[1]): void {
    if (this.#closing !== undefined) return
    let countedMs: number | undefined
    if (about.operation !== 'peek') {
      countedMs = this.#writer.turn()
      const { series } = this.#settings
      const group = series === undefined ? (about.kind ?? '') : this.#groupOf(decision)
      this.#ledger.add(decision, 0, group)
      this.#traffic?.decided(decision)
    }
    this.#countedMs = countedMs
    this.#watchers.decided(decision, about)
    this.#countedMs = undefined
  }

  adjusted(about: ArgumentsOf<'adjusted'>[0]): void {
    if (this.#closing !== undefined) return
    const countedMs = this.#writer.turn()
    this.#ledger.correct(about)
    this.#countedMs = countedMs
    this.#watchers.adjusted(about)
    this.#countedMs = undefined
  }

  lost(about: ArgumentsOf<'lost'>[0]): void {
    this.#watchers.lost(about)
  }

  acted(act: ArgumentsOf<'acted'>[0]): void {
    this.#watchers.acted(act)
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
    await this.#writer.flush()
    return this.#sink.query(query)
  }

  addEvent(event: RecordedEvent): void {
    this.#events.add(event)
  }

  async events(fromMs: number): Promise<readonly RecordedEvent[]> {
    await this.#events.flush()
    return (await this.#sink.events?.(fromMs)) ?? []
  }

  flush(): Promise<void> {
    const counts = this.#writer.flush()
    if (this.#traffic === undefined) return counts
    this.#traffic.takeOut()
    return this.#trafficWriter.flush().then(() => counts)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#traffic?.takeOut()
    await Promise.all([this.#writer.close(), this.#events.close(), this.#trafficWriter.close()])
    await this.#sink.close?.()
  }

  #newTraffic(timer: World['timer']): TrafficRecording | undefined {
    const { traffic } = this.#settings
    if (traffic !== true && traffic.length === 0) return undefined
    return new TrafficRecording({
      of: traffic,
      timer,
      nowMs: () => this.#writer.nowMs(),
      write: (piece) => this.#trafficWriter.add(piece),
    })
  }

  #newReports(): observing.Reports {
    return new observing.Reports([this.#watchers], this.#settings.logger)
  }

  #warnOfLoss(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error)
    this.#losses.warned({
      code: 'SLUICE_RECORDING_LOST',
      message: `counts could not be recorded in ${this.#sink.name} and are lost: ${why}`,
    })
  }

  #warnOfNames(): void {
    this.#reports.warned({
      code: 'SLUICE_NAMES_FULL',
      message: `more than ${maxNames} names of limiters, policies and stores: a recorder counts further ones as other`,
    })
  }

  #warnOfGroups(): void {
    this.#reports.warned({
      code: 'SLUICE_SERIES_FULL',
      message: `more than ${this.#settings.maxSeries} groups: a recorder counts further ones in their policies alone; raise maxSeries, or let \`series\` return fewer`,
    })
  }

  #groupOf(decision: Decision): string {
    try {
      const group: unknown = this.#settings.series?.(decision)
      if (typeof group === 'string') return group.slice(0, maxGroupLength)
    } catch {
      // The warning is below.
    }
    this.#reports.warned({
      code: 'SLUICE_SERIES_FAILED',
      message:
        'the function `series` of a recorder throws or returns no string: those decisions are in no group',
    })
    return ''
  }
}
