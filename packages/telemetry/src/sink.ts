import type { Duration } from '@sluice/core'

/**
 * What a series counts. Per policy: `hits` are admitted units, `denied` units that this policy refused.
 * Per limiter, each request once: `admitted`, `refused`, and `local` for those decided without the store.
 */
export type Data = 'hits' | 'denied' | 'admitted' | 'refused' | 'local'

export type Labels = Readonly<Record<string, string>>

/** Units of one series in one whole second. */
export interface Sample {
  readonly series: string
  readonly labels: Labels
  /** Seconds since 1970, on the store's clock. */
  readonly second: number
  readonly units: number
}

/** One series over a span, in buckets that are aligned to multiples of the step; a gap is a 0. */
export interface Points {
  readonly series: string
  readonly labels: Labels
  /** When the first bucket begins, since 1970. */
  readonly fromMs: number
  readonly stepMs: number
  readonly values: readonly number[]
}

export interface SinkQuery {
  /** Only the series with this name. @default all */
  series?: string | undefined
  /** Only series of this kind of data. @default all */
  data?: Data | undefined
  /** Milliseconds since 1970; the first bucket contains it. */
  fromMs: number
  /** Milliseconds since 1970, exclusive; the last bucket contains or ends with it, and is counted completely. */
  toMs: number
  /** Length of a bucket: whole seconds. */
  step: Duration
}

/** Something that happened. Only the program that reads the text knows its format. */
export interface RecordedEvent {
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** At most 4,000 characters. */
  readonly text: string
}

/** The most characters of an event's text, and of a piece of traffic. */
export const longestText = 4000

/** The most events that a sink keeps, the latest ones. */
export const maxEvents = 1000

/** The most pieces of traffic that a sink keeps, the latest ones. */
export const maxTraffic = 10_000

/** Stores counts and, if it has the methods, events and traffic. */
export interface Sink {
  readonly name: string
  /**
   * Adds to what is stored: several processes may write the same second. Rejects if something was not, or may not have been, written; the
   * error's `units` says how many units, if it was not the whole batch.
   */
  write(batch: readonly Sample[]): Promise<void>
  /**
   * Resolves to series sorted by name; those without units in the span are left out. At most 100,000 values: a larger query rejects with
   * an OptionError that names a step that would work.
   */
  query(query: SinkQuery): Promise<readonly Points[]>
  /** Adds to the events that are stored; an event that comes twice is stored once. @default events are not stored */
  addEvents?(events: readonly RecordedEvent[]): Promise<void>
  /** The events since `fromMs`, at most the latest 1,000, the oldest first. */
  events?(fromMs: number): Promise<readonly RecordedEvent[]>
  /** Adds to the traffic that is stored: pieces of at most 4,000 characters. @default traffic is not stored */
  addTraffic?(pieces: readonly RecordedEvent[]): Promise<void>
  /** The pieces since `fromMs`, at most the latest 10,000, the oldest first. */
  traffic?(fromMs: number): Promise<readonly RecordedEvent[]>
  /**
   * The store's time, in milliseconds since 1970. A recorder reads it before each batch, which waits while it rejects. @default this
   * process's
   */
  nowMs?(): number | Promise<number>
  /** Closes only a connection that the sink created. */
  close?(): Promise<void>
}
