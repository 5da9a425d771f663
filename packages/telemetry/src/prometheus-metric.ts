import type { Metric } from './metric-list.ts'
import type { Labels } from './sink.ts'

/** One line that Prometheus reads. */
export interface Exposed {
  readonly labels: Labels
  readonly value: number
  /** Where it is not the metric's own name. */
  readonly metricName?: string
}

/** What a register asks of a metric. */
export interface Registered {
  /** Not fixed: a register that speaks OpenMetrics cuts `_total` off, and writes it itself. */
  name: string
  readonly type: Metric['kind']
  get(): Promise<object>
  reset(): void
}

/**
 * A metric whose numbers are counted elsewhere and read when the register collects: prom-client's own counters look their labels up
 * at every step, which would cost several times what a decision may.
 */
export function registered(
  metric: Metric,
  { name, read }: { name: string; read: (name: string) => readonly Exposed[] | Promise<readonly Exposed[]> },
): Registered {
  return {
    name,
    type: metric.kind,
    async get() {
      const values = await read(this.name)
      return {
        name: this.name,
        help: metric.help,
        type: this.type,
        values,
        aggregator: metric.over,
      }
    },
    // The counts are not the register's.
    reset() {},
  }
}
