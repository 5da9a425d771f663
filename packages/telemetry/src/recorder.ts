import { monotonicClock } from '@sluice/core/internal'
import { type RecorderOptions, settle } from './recorder-options.ts'
import { type Recorder, Recording } from './recording.ts'
import type { Sink } from './sink.ts'
import { realTimer } from './timer.ts'

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
