import type { Metric } from './metric-list.ts'
import type { Labels } from './sink.ts'

export interface Sample {
  readonly labels: Labels
  readonly value: number
  /** Where it is not the metric's own name. */
  readonly metricName?: string
}

/** What a register asks of a metric. */
export interface Registered {
  /** A register that speaks OpenMetrics cuts `_total` off, and writes it itself. */
  name: string
  get(): Promise<object>
  reset(): void
}

/**
 * A metric whose numbers are counted elsewhere and read when the register collects: prom-client's own counters look their labels up
 * at every step, which would cost several times what a decision may.
 */
export function registered(
  metric: Metric,
  { name, read }: { name: string; read: (name: string) => readonly Sample[] | Promise<readonly Sample[]> },
): Registered {
  return {
    name,
    async get() {
      const values = await read(this.name)
      return {
        name: this.name,
        help: metric.help,
        type: metric.kind,
        values,
        aggregator: metric.kind === 'gauge' ? 'max' : 'sum',
      }
    },
    // The counts are not the register's.
    reset() {},
  }
}
