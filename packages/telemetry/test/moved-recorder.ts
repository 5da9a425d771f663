import type { Duration } from '@sluice/core'
import { manualClock } from '@sluice/testing'
import type { Points, Recorder, RecorderOptions, Sample, Sink, SinkQuery } from '../src/index.ts'
import { readSettings } from '../src/recorder-options.ts'
import { Recording } from '../src/recording.ts'

export const silent = { warn: (): void => {}, error: (): void => {} }

/** A sink that keeps its batches, and behaves as the test says. */
export class TestSink implements Sink {
  readonly name = 'test'
  readonly batches: (readonly Sample[])[] = []
  nowMs: () => number | Promise<number>
  /** In place of keeping a batch. */
  onWrite: ((batch: readonly Sample[]) => Promise<void>) | undefined
  closed = 0

  constructor(nowMs: () => number | Promise<number>) {
    this.nowMs = nowMs
  }

  async write(batch: readonly Sample[]): Promise<void> {
    if (this.onWrite !== undefined) return this.onWrite(batch)
    this.batches.push(batch)
  }

  async query(_: SinkQuery): Promise<readonly Points[]> {
    return []
  }

  async close(): Promise<void> {
    this.closed++
  }

  /** What was written in all, by series; of one second alone where it is given. */
  totals(second?: number): Record<string, number> {
    const sums: Record<string, number> = {}
    for (const { series, units, ...of } of this.batches.flat()) {
      if (second === undefined || of.second === second) sums[series] = (sums[series] ?? 0) + units
    }
    return sums
  }
}

export interface Moved {
  readonly seen: Recorder
  readonly sink: TestSink
  /** The clock of the process, in milliseconds since 1970. */
  localMs(): number
  advance(by: Duration): Promise<void>
}

/** A recorder whose clock and timers are moved by hand; the sink's clock is the same at first, and begins a whole second. */
export function movedRecorder(options: RecorderOptions = {}): Moved {
  const clock = manualClock()
  const localMs = () => clock.nowUs() / 1000
  const sink = new TestSink(localMs)
  const timer = (ms: number, ring: () => void) => {
    const calledOff = new AbortController()
    clock.sleep?.(ms, calledOff.signal).then(ring, () => {})
    return () => calledOff.abort()
  }
  const world = { localMs, wallMs: localMs, timer }
  const seen = new Recording(sink, readSettings(sink, { logger: silent, ...options }), world)
  return { seen, sink, localMs, advance: (by) => clock.advance(by) }
}
