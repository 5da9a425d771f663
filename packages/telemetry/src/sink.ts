import type { Duration } from '@sluice/core'

/**
 * What a series counts. Of each policy: `hits` are admitted units, `denied` those that this policy refused.
 * Of a whole limiter, each request once: `admitted`, `refused`, and `local` for those answered without the store.
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
  /** Only the series of this name. @default all */
  series?: string | undefined
  /** Only series that count this. @default all */
  data?: Data | undefined
  /** Since 1970; the bucket that holds it is the first. */
  fromMs: number
  /** Since 1970, exclusive; the bucket that ends with it or holds it is the last, and is counted whole. */
  toMs: number
  /** Length of a bucket: whole seconds. */
  step: Duration
}

/** Keeps what was counted. */
export interface Sink {
  readonly name: string
  /**
   * Adds up: several processes may write the same second. Rejects where something was not written, or may not have been; `units` of
   * the error says how many, where it was not all of the batch.
   */
  write(batch: readonly Sample[]): Promise<void>
  /**
   * By name; series that have nothing in the span are left out. At most 100,000 values: what asks for more rejects with an
   * OptionError that names a step which would do.
   */
  query(query: SinkQuery): Promise<readonly Points[]>
  /** The store's clock, since 1970. A recorder reads it before each batch and holds the batch back while it rejects. @default this process's */
  nowMs?(): number | Promise<number>
  /** Ends only a connection that was made here. */
  close?(): Promise<void>
}
