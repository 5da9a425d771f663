import type { Decision, Logger, Observer } from '@sluice/core'
import { monotonicClock } from '@sluice/core/limiter'
import { settle } from './recorder-options.ts'
import { Recording } from './recording.ts'
import type { Sink } from './sink.ts'
import { realTimer } from './timer.ts'

export interface RecorderOptions {
  /**
   * Names a group in which a decision is counted apart from others of its policy, such as the client's plan; `''` names none, and of
   * a longer name the first 100 characters count. Runs on each request. @default no groups
   *
   * @example series: ({ key }) => plans.get(key) ?? 'free' // hits:tickets:visitor:free
   */
  series?: ((decision: Decision) => string) | undefined
  /** Series of this process; what is counted under further names goes to `hits:other`, `denied:other` and so on. @default 1000 */
  maxSeries?: number | undefined
  /** Told once when something is lost, and again after recording has worked meanwhile. @default console */
  logger?: Logger | undefined
}

/** Counts what limiters decide, for charts. Put it among the `observers` of each. */
export interface Recorder extends Observer {
  /** What was counted, by this process also the latest: what is pending here is written first. */
  query: Sink['query']
  /** Forwards all that the recorder observes, and its own warnings, until the answer is called. */
  watch(observer: Observer): () => void
  /** Writes what is pending. Never rejects. */
  flush(): Promise<void>
  /** The time on the sink's clock, since 1970, as far as it is known. */
  nowMs(): number
  /** Units that could not be written, or may not have been. */
  readonly lostUnits: number
  /** Writes what is pending, and closes the sink. Nothing is counted from then on. */
  close(): Promise<void>
}

/**
 * Counts admitted and refused units in this process, by series and second, and writes them to a sink about once a second, outside
 * of any request. Nothing that it meets delays or fails a request; what could not be written is counted in `lostUnits`, and told.
 *
 * @example
 * const seen = recorder(redisSink({ redis: 'redis://localhost' }))
 * const limiter = createLimiter({ policy, observers: [seen] })
 */
export function recorder(sink: Sink, options: RecorderOptions = {}): Recorder {
  const settled = settle(sink, options)
  return new Recording(sink, settled, {
    localMs: () => monotonicClock.nowUs() / 1000,
    wallMs: Date.now,
    timer: realTimer,
  })
}
