import type { Decision, Key, Observed, Observer, StoreEvent } from '@sluice/core'
import { DecisionCounts, type Timing } from './decision-counts.ts'
import type { MetricKey } from './metric-list.ts'
import type { Measuring } from './metrics-options.ts'
import { OpenLimiters } from './open-limiters.ts'
import { QueueHealths } from './queue-healths.ts'
import type { Labels } from './sink.ts'
import { StoreCounts } from './store-counts.ts'
import type { Value } from './values.ts'

type Single = Exclude<MetricKey, 'duration'>

/** An observer that counts, and can be read by whatever exports metrics. */
export class Measures<T extends Timing> implements Observer {
  readonly #decisions: DecisionCounts<T>
  readonly #stores = new StoreCounts()
  readonly #limiters = new OpenLimiters()
  readonly #queues: QueueHealths

  constructor({ nearLimit, queues }: Measuring, timing: (labels: Labels) => T) {
    this.#decisions = new DecisionCounts(nearLimit, timing)
    this.#queues = new QueueHealths(queues)
  }

  limiterOpened(limiter: Observed): void {
    this.#limiters.add(limiter)
    this.#decisions.open(limiter.name)
    this.#stores.open(limiter.health().store)
  }

  limiterClosed(limiter: Observed): void {
    this.#limiters.delete(limiter)
  }

  decided(
    decision: Decision,
    { operation, durationMs }: { readonly operation: string; readonly durationMs: number },
  ): void {
    if (operation !== 'peek') this.#decisions.decided(decision, durationMs)
  }

  lost({ limiter, policy }: { readonly limiter: string; readonly policy: string; readonly key: Key }): void {
    this.#decisions.lost(limiter, policy)
  }

  storeFailed(event: StoreEvent): void {
    this.#stores.tell(event)
  }

  timings(): Iterable<T> {
    return this.#decisions.timings()
  }

  /** What a metric says now. */
  readonly read: { readonly [metric in Single]: () => readonly Value[] | Promise<readonly Value[]> } = {
    decisions: () => this.#decisions.decisions(),
    nearLimit: () => this.#decisions.nearLimit(),
    shadowRefusals: () => this.#decisions.shadowRefusals(),
    fallbackDecisions: () => this.#decisions.fallbackDecisions(),
    lostLeases: () => this.#decisions.lostLeases(),
    sleepers: () => this.#limiters.sleepers(),
    storeFailures: () => this.#stores.failures(),
    lateReplies: () => this.#stores.lateReplies(),
    breakerOpenings: () => this.#stores.openings(),
    breakerState: () => this.#limiters.breakers(),
    queueWaiting: () => this.#queues.read(({ waiting }) => waiting),
    queueRunning: () => this.#queues.read(({ running }) => running),
    queueAge: () => this.#queues.read(({ oldestMs }) => (oldestMs ?? 0) / 1000),
    queueDone: () => this.#queues.read(({ done }) => done),
    queueDead: () => this.#queues.read(({ dead }) => dead),
  }
}
