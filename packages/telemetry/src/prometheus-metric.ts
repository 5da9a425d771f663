import type { Metric } from './metric-list.ts'
import type { Labels } from './sink.ts'

/** One line of the output for Prometheus. */
export interface Exposed {
  readonly labels: Labels
  readonly value: number
  /** The name, if it is not the metric's own. */
  readonly metricName?: string
}

/** The members of a metric that a registry of prom-client uses. */
export interface Registered {
  /** Mutable: a registry in OpenMetrics format removes `_total` and adds it itself. */
  name: string
  readonly type: Metric['kind']
  get(): Promise<object>
  reset(): void
}

/**
 * A metric whose numbers are counted elsewhere and read at a scrape: prom-client's own counters look up their labels
 * at every increment, which would cost several times as much as a decision may.
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
    // The counts do not belong to the registry.
    reset() {},
  }
}
