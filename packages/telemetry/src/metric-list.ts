/** A metric, for both exporters and for the page. */
export interface Metric {
  /** The name in the style of OpenTelemetry: words with dots between them. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** A UCUM unit: `s`, or what is counted, in braces. */
  readonly unit: string
  readonly labels: readonly string[]
  /** How to combine several processes: each of them reports the same numbers of a queue or a store's breaker. */
  readonly over: 'sum' | 'max'
  readonly help: string
}

/** All exported metrics, in the order of the page. No label holds a key. */
export const metrics = {
  decisions: {
    name: 'decisions',
    kind: 'counter',
    unit: '{decision}',
    labels: ['limiter', 'policy', 'outcome', 'reason', 'source'],
    over: 'sum',
    help: 'Decisions, each once, by the binding policy; looks (peek) are not counted.',
  },
  nearLimit: {
    name: 'near_limit',
    kind: 'counter',
    unit: '{decision}',
    labels: ['limiter', 'policy'],
    over: 'sum',
    help: 'Allowed decisions that left a key with most of a limit used: 80 % unless nearLimit says otherwise.',
  },
  shadowRefusals: {
    name: 'shadow_refusals',
    kind: 'counter',
    unit: '{decision}',
    labels: ['limiter', 'policy'],
    over: 'sum',
    help: 'Decisions that a policy in shadow mode would have refused.',
  },
  fallbackDecisions: {
    name: 'fallback_decisions',
    kind: 'counter',
    unit: '{decision}',
    labels: ['limiter'],
    over: 'sum',
    help: 'Decisions made without the store: counted in this process, let through or refused.',
  },
  kindUnits: {
    name: 'kind.units',
    kind: 'counter',
    unit: '{unit}',
    labels: ['limiter', 'policy', 'kind', 'outcome'],
    over: 'sum',
    help: 'Units by kind of request, of limiters with prices: those that a policy let pass and those that it refused. Corrections (settle, refund) are left out.',
  },
  lostLeases: {
    name: 'lost_leases',
    kind: 'counter',
    unit: '{lease}',
    labels: ['limiter', 'policy'],
    over: 'sum',
    help: 'Requests in flight that lost their lease to another request and continued.',
  },
  duration: {
    name: 'decision.duration',
    kind: 'histogram',
    unit: 's',
    labels: ['limiter', 'source'],
    over: 'sum',
    help: 'Time from asking the store to the decision, by source: redis is the latency of the store as callers see it. Decisions that asked no store are left out.',
  },
  sleepers: {
    name: 'sleepers',
    kind: 'gauge',
    unit: '{caller}',
    labels: ['limiter'],
    over: 'sum',
    help: 'Callers that wait for their turn.',
  },
  aheadUnits: {
    name: 'ahead.units',
    kind: 'gauge',
    unit: '{unit}',
    labels: ['limiter'],
    over: 'sum',
    help: 'Units that limiters have taken ahead, and neither used nor given back yet.',
  },
  aheadDecisions: {
    name: 'ahead.decisions',
    kind: 'counter',
    unit: '{decision}',
    labels: ['limiter'],
    over: 'sum',
    help: 'Decisions from units that were taken ahead, without asking the store.',
  },
  reloadFailed: {
    name: 'reload.failed',
    kind: 'gauge',
    unit: '{limiter}',
    labels: ['limiter'],
    over: 'max',
    help: 'Whether the last change of a file of limits or lists could not be read: 1 while what was there before stays in force, else 0.',
  },
  reloads: {
    name: 'reloads',
    kind: 'counter',
    unit: '{reload}',
    labels: ['limiter'],
    over: 'sum',
    help: 'How often a file of limits or lists was read again, and applies.',
  },
  storeFailures: {
    name: 'store.failures',
    kind: 'counter',
    unit: '{failure}',
    labels: ['store'],
    over: 'sum',
    help: 'Errors of a store, and answers that did not come within the deadline.',
  },
  lateReplies: {
    name: 'store.late_replies',
    kind: 'counter',
    unit: '{reply}',
    labels: ['store'],
    over: 'sum',
    help: 'Answers of a store that came after the request was answered without it.',
  },
  breakerOpenings: {
    name: 'store.breaker.openings',
    kind: 'counter',
    unit: '{opening}',
    labels: ['store'],
    over: 'sum',
    help: 'How often the circuit breaker has opened, so that the store is no longer asked.',
  },
  breakerState: {
    name: 'store.breaker.state',
    kind: 'gauge',
    unit: '{state}',
    labels: ['store'],
    over: 'max',
    help: 'Circuit breaker of a store: 0 closed, 1 half-open (a probe is under way), 2 open (the store is not asked).',
  },
  queueWaiting: {
    name: 'queue.waiting',
    kind: 'gauge',
    unit: '{job}',
    labels: ['queue'],
    over: 'max',
    help: 'Jobs that wait in a queue, for their first attempt or a retry.',
  },
  queueRunning: {
    name: 'queue.running',
    kind: 'gauge',
    unit: '{job}',
    labels: ['queue'],
    over: 'max',
    help: 'Running jobs of a queue.',
  },
  queueAge: {
    name: 'queue.oldest_age',
    kind: 'gauge',
    unit: 's',
    labels: ['queue'],
    over: 'max',
    help: 'Age of the oldest unfinished job of a queue; 0 if there is none.',
  },
  queueDone: {
    name: 'queue.done',
    kind: 'counter',
    unit: '{job}',
    labels: ['queue'],
    over: 'max',
    help: 'Jobs of a queue that are done, since it was created.',
  },
  queueDead: {
    name: 'queue.dead',
    kind: 'counter',
    unit: '{job}',
    labels: ['queue'],
    over: 'max',
    help: 'Jobs of a queue that failed for good, since it was created.',
  },
  sheddingLimit: {
    name: 'shedding.limit',
    kind: 'gauge',
    unit: '{place}',
    labels: ['shedding'],
    over: 'sum',
    help: 'Requests that may be worked on at once, as the measured latency allows.',
  },
  sheddingInFlight: {
    name: 'shedding.in_flight',
    kind: 'gauge',
    unit: '{request}',
    labels: ['shedding'],
    over: 'sum',
    help: 'Requests that are worked on.',
  },
  sheddingLatency: {
    name: 'shedding.latency',
    kind: 'gauge',
    unit: 's',
    labels: ['shedding'],
    over: 'max',
    help: 'Mean latency of the last window that the limit of load shedding has measured; 0 before the first.',
  },
  sheddingLoopDelay: {
    name: 'shedding.loop_delay',
    kind: 'gauge',
    unit: 's',
    labels: ['shedding'],
    over: 'max',
    help: 'How late the event loop is.',
  },
  sheddingRefused: {
    name: 'shedding.refused',
    kind: 'counter',
    unit: '{request}',
    labels: ['shedding', 'priority', 'reason'],
    over: 'sum',
    help: 'Requests refused to keep the others within their time, by priority and by what was too much: event-loop, queueing or limit.',
  },
} as const

export type MetricKey = keyof typeof metrics

export const metricKeys: readonly MetricKey[] = Object.keys(metrics) as MetricKey[] // the keys of this object

/** `decision.duration` → `sluice_decision_duration_seconds`. */
export function prometheusName({ name, kind, unit }: Metric, prefix = 'sluice_'): string {
  const seconds = unit === 's' ? '_seconds' : ''
  const total = kind === 'counter' ? '_total' : ''
  return `${prefix}${name.replaceAll('.', '_')}${seconds}${total}`
}

export function opentelemetryName({ name }: Metric): string {
  return `sluice.${name}`
}

/** Upper bounds of the histogram's buckets. Around the deadline of 100 ms they lie closer. */
export const bucketsSeconds: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1,
]
