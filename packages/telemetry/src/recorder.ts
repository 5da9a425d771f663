import { realClock } from '@sluice/core/internal'
import { type RecorderOptions, readSettings } from './recorder-options.ts'
import { type Recorder, Recording } from './recording.ts'
import type { Sink } from './sink.ts'
import { realTimer } from './timer.ts'

/**
 * Counts admitted and refused units in this process, by series and second, and writes them to a sink about once a second, outside
 * of any request. It never delays or fails a request; what it cannot write is counted in `lostUnits`, with a warning.
 *
 * @example
 * const seen = recorder(redisSink({ redis: 'redis://localhost' }))
 * const limiter = createLimiter({ policy, observers: [seen] })
 */
export function recorder(sink: Sink, options: RecorderOptions = {}): Recorder {
  const settings = readSettings(sink, options)
  return new Recording(sink, settings, {
    localMs: () => realClock.nowUs() / 1000,
    wallMs: Date.now,
    timer: realTimer,
  })
}
