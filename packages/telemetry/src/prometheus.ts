import type { Observer } from '@sluice/core'
import { optionError } from '@sluice/core/internal'
import { Measures } from './measures.ts'
import { type MetricKey, metricKeys, metrics, prometheusName } from './metric-list.ts'
import { type MetricsOptions, metricsNames, readMeasuring } from './metrics-options.ts'
import { Buckets } from './prometheus-buckets.ts'
import { type Exposed, registered } from './prometheus-metric.ts'

/** The used members of a registry of prom-client. */
interface MetricsRegister {
  registerMetric(metric: object): void
  getSingleMetric(name: string): unknown
}

export interface PrometheusOptions extends MetricsOptions {
  /** A `Registry` of prom-client, such as its own `register`. */
  register: MetricsRegister
  /** Prefix of every name: letters, digits, `_` and `:`, with no digit first. @default 'sluice_' */
  prefix?: string | undefined
}

/**
 * Metrics for Prometheus, through prom-client: an observer for any number of limiters. Its numbers are part of the
 * registry's output at each scrape. Use one per registry.
 *
 * @example
 * const limiter = createLimiter({ policy, observers: [prometheus({ register })] })
 * app.get('/metrics', async (_req, res) => res.type(register.contentType).send(await register.metrics()))
 * @throws OptionError if the registry already has metrics with these names
 */
export function prometheus(options: PrometheusOptions): Observer {
  const measuring = readMeasuring(options, ['register', 'prefix', ...metricsNames])
  const { register, prefix = 'sluice_' } = options
  checkRegister(register)
  if (typeof prefix !== 'string' || !/^([a-zA-Z_:][\w:]*)?$/.test(prefix)) {
    throw optionError('prefix', 'letters, digits, "_" and ":", with no digit first', prefix)
  }
  const names = metricKeys.map((key) => [key, prometheusName(metrics[key], prefix)] as const)
  for (const [, name] of names) checkFree(register, name)
  const measures = new Measures(measuring, (labels) => new Buckets(labels))
  for (const [key, name] of names) {
    register.registerMetric(registered(metrics[key], { name, read: (as) => read(measures, key, as) }))
  }
  return measures
}

function read(
  measures: Measures<Buckets>,
  key: MetricKey,
  name: string,
): readonly Exposed[] | Promise<readonly Exposed[]> {
  if (key !== 'duration') return measures.read[key]()
  return [...measures.timings()].flatMap((buckets) => buckets.values(name))
}

function checkRegister(register: MetricsRegister): void {
  if (typeof register?.registerMetric === 'function' && typeof register.getSingleMetric === 'function') return
  throw optionError('register', 'a registry of prom-client, such as new Registry()', register)
}

function checkFree(register: MetricsRegister, name: string): void {
  if (register.getSingleMetric(name) === undefined) return
  const expected = `a registry without ${name} (one prometheus() serves all limiters; a second one needs its own prefix)`
  throw optionError('register', expected, register)
}
