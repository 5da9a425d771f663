import { type Attributes, type Meter, metrics as meters, type Observable, trace } from '@opentelemetry/api'
import type { DecidedAbout, Decision, Observer, Refused } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import type { Timing } from './ledger.ts'
import { Measures } from './measures.ts'
import { bucketsSeconds, type Metric, metricKeys, metrics, opentelemetryName } from './metric-list.ts'
import { type MetricsOptions, metricsNames, readMeasuring } from './metrics-options.ts'
import { Sampled } from './opentelemetry-sampled.ts'

export interface OpentelemetryOptions extends MetricsOptions {
  /** @default the registered SDK's meter; without an SDK nothing is exported */
  meter?: Meter | undefined
}

/**
 * The metrics of `prometheus()` through OpenTelemetry, and an event `sluice.refused` on the active span when a request is
 * refused: an observer for any number of limiters. Register the SDK first, and create one of these per program.
 *
 * @example createLimiter({ policy, observers: [opentelemetry()] })
 */
export function opentelemetry(options: OpentelemetryOptions = {}): Observer {
  const measuring = readMeasuring(options, ['meter', ...metricsNames])
  const { meter = meters.getMeter('@sluice/telemetry') } = options
  if (typeof meter?.createObservableCounter !== 'function') {
    throw optionError('meter', 'a meter of OpenTelemetry', meter)
  }
  const about = { ...aboutOf(metrics.duration), advice: { explicitBucketBoundaries: [...bucketsSeconds] } }
  const durations = meter.createHistogram(opentelemetryName(metrics.duration), about)
  const measures = new SpanMeasures(measuring, (labels) => new Sampled(durations, labels))
  for (const key of metricKeys) {
    if (key === 'duration') continue
    observe(instrumentOf(meter, metrics[key]), measures.read[key])
  }
  return measures
}

/** Counts, and adds the event to the span of a refused request. */
class SpanMeasures<T extends Timing> extends Measures<T> {
  override decided(decision: Decision, about: DecidedAbout): void {
    super.decided(decision, about)
    if (!decision.allowed && about.operation !== 'peek') markSpan(decision)
  }
}

/** Leaves out the key, which may identify a person. */
function markSpan({ limiter, policy, reason, retryAfterMs }: Refused): void {
  const span = trace.getActiveSpan()
  if (span?.isRecording() !== true) return
  const attributes: Attributes = { limiter, policy, reason }
  if (retryAfterMs !== null) attributes.retry_after = retryAfterMs / 1000
  span.addEvent('sluice.refused', attributes)
}

function aboutOf({ help, unit }: Metric): { description: string; unit: string } {
  return { description: help, unit }
}

function instrumentOf(meter: Meter, metric: Metric): Observable {
  const name = opentelemetryName(metric)
  return metric.kind === 'counter'
    ? meter.createObservableCounter(name, aboutOf(metric))
    : meter.createObservableGauge(name, aboutOf(metric))
}

function observe(instrument: Observable, read: Measures<Timing>['read']['decisions']): void {
  instrument.addCallback(async (result) => {
    for (const { labels, value } of await read()) result.observe(value, labels)
  })
}
