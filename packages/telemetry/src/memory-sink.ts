import type { Duration } from '@sluice/core'
import { checkNames, durationUs, optionError } from '@sluice/core/internal'
import { isSound, notWritten } from './batch.ts'
import { MemoryEvents } from './memory-events.ts'
import {
  type Labels,
  maxEvents,
  maxTraffic,
  type Points,
  type RecordedEvent,
  type Sample,
  type Sink,
  type SinkQuery,
} from './sink.ts'
import { maxSeries, sliceOf, sliceSeconds } from './slice.ts'
import { Buckets, byName, checkRoom, isAskedFor, readQuery, type Span } from './span.ts'

export interface MemorySinkOptions {
  /** How long a second is kept at least; a busy series takes 8 bytes for each. @default '1h' */
  retention?: Duration | undefined
}

interface Kept {
  readonly labels: Labels
  /** A slice's units of each second, by the slice's first second; NaN where a second has none. */
  readonly slices: Map<number, Float64Array>
}

class MemorySink implements Sink {
  readonly name = 'memory'
  readonly nowMs: () => number
  readonly #retentionSeconds: number
  /** By name; the series written last comes last. */
  readonly #series = new Map<string, Kept>()
  readonly #events = new MemoryEvents(maxEvents)
  readonly #traffic = new MemoryEvents(maxTraffic)
  #sweptAt = 0

  constructor(retentionSeconds: number, nowMs: () => number) {
    this.#retentionSeconds = retentionSeconds
    this.nowMs = nowMs
  }

  async write(batch: readonly Sample[]): Promise<void> {
    const lost: Sample[] = []
    const earliest = sliceOf(Math.floor(this.nowMs() / 1000) - this.#retentionSeconds)
    if (earliest !== this.#sweptAt) this.#sweep(earliest)
    for (const sample of batch) {
      if (isSound(sample) && sample.second >= earliest) this.#add(sample)
      else lost.push(sample)
    }
    if (lost.length > 0)
      throw notWritten(this.name, lost, 'a sample is older than the retention, or no number')
  }

  async query(query: SinkQuery): Promise<readonly Points[]> {
    const span = readQuery(query)
    const found = [...this.#series].filter(([name, { labels }]) => isAskedFor(span, name, labels))
    checkRoom(span, found.length)
    return byName(found.flatMap(([name, kept]) => pointsOf(name, kept, span)))
  }

  async addEvents(events: readonly RecordedEvent[]): Promise<void> {
    this.#events.add(events)
  }

  async events(fromMs: number): Promise<readonly RecordedEvent[]> {
    return this.#events.since(Math.max(fromMs, this.#earliestMs))
  }

  async addTraffic(pieces: readonly RecordedEvent[]): Promise<void> {
    this.#traffic.add(pieces)
  }

  async traffic(fromMs: number): Promise<readonly RecordedEvent[]> {
    return this.#traffic.since(Math.max(fromMs, this.#earliestMs))
  }

  get #earliestMs(): number {
    return this.nowMs() - this.#retentionSeconds * 1000
  }

  #add({ series, labels, second, units }: Sample): void {
    const first = sliceOf(second)
    const kept = this.#series.get(series) ?? { labels, slices: new Map() }
    this.#series.delete(series)
    this.#series.set(series, kept)
    if (this.#series.size > maxSeries) this.#forgetOne()
    const slice = kept.slices.get(first) ?? new Float64Array(sliceSeconds).fill(Number.NaN)
    kept.slices.set(first, slice)
    slice[second - first] = (slice[second - first] || 0) + units
  }

  /** Drops seconds older than the retention. */
  #sweep(earliest: number): void {
    this.#sweptAt = earliest
    for (const [name, { slices }] of this.#series) {
      for (const first of slices.keys()) if (first < earliest) slices.delete(first)
      if (slices.size === 0) this.#series.delete(name)
    }
  }

  #forgetOne(): void {
    const [oldest] = this.#series.keys()
    if (oldest !== undefined) this.#series.delete(oldest)
  }
}

function pointsOf(name: string, { labels, slices }: Kept, span: Span): readonly Points[] {
  const buckets = new Buckets(span)
  for (const [first, units] of slices) {
    if (first + sliceSeconds <= span.fromSecond || first >= span.toSecond) continue
    for (let i = 0; i < sliceSeconds; i++) {
      const value = units[i] ?? Number.NaN
      if (!Number.isNaN(value)) buckets.add(first + i, value)
    }
  }
  return buckets.points(name, labels)
}

/** A memory sink with a given clock. */
export function memorySinkAt(nowMs: () => number, { retention = '1h' }: MemorySinkOptions = {}): Sink {
  const us = durationUs(retention, 'retention')
  if (us < 1e6) throw optionError('retention', 'at least "1s"', retention)
  return new MemorySink(Math.ceil(us / 1e6), nowMs)
}

/**
 * Keeps counts in this process's memory, where only this process can read them; they are dropped after the retention, and lost with the
 * process. For a single process, for tests, and without Redis.
 *
 * @example
 * const seen = recorder(memorySink({ retention: '15m' }))
 */
export function memorySink(options: MemorySinkOptions = {}): Sink {
  checkNames(options, '', ['retention'])
  return memorySinkAt(Date.now, options)
}
