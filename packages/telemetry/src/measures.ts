import type { DecidedAbout, Decision, Key, Observed, Observer, StoreEvent } from '@sluice/core'
import { Room } from './bounded.ts'
import { Ledger, maxKinds, maxNames, type Outcomes, type PolicyAccount, type Timing } from './ledger.ts'
import type { MetricKey } from './metric-list.ts'
import type { Measuring } from './metrics-options.ts'
import { OpenLimiters } from './open-limiters.ts'
import { QueueHealths } from './queue-healths.ts'
import { SheddingHealths } from './shedding-healths.ts'
import type { Labels } from './sink.ts'
import { StoreCounts } from './store-counts.ts'
import type { Value } from './values.ts'

type Single = Exclude<MetricKey, 'duration'>

/** An observer that counts. The exporters of metrics read its counts. */
export class Measures<T extends Timing> implements Observer {
  readonly #ledger: Ledger
  readonly #timings: T[] = []
  readonly #stores = new StoreCounts()
  readonly #limiters = new OpenLimiters()
  readonly #queues: QueueHealths
  readonly #sheddings: SheddingHealths

  /** `timing` creates the recorder of durations for one limiter and source. */
  constructor({ nearLimit, queues, sheddings }: Measuring, timing: (labels: Labels) => T) {
    this.#ledger = new Ledger({
      rooms: { names: new Room(maxNames), groups: new Room(maxKinds) },
      nearLimit,
      timing: (labels) => {
        const made = timing(labels)
        this.#timings.push(made)
        return made
      },
    })
    this.#queues = new QueueHealths(queues)
    this.#sheddings = new SheddingHealths(sheddings)
  }

  /** Adds a limiter, which is shown before it has decided anything. */
  limiterOpened(limiter: Observed): void {
    this.#limiters.add(limiter)
    this.#ledger.limiters.of(limiter.name)
    this.#stores.open(limiter.health().store)
  }

  limiterClosed(limiter: Observed): void {
    this.#limiters.delete(limiter)
  }

  decided(decision: Decision, { operation, durationMs, kind = '' }: DecidedAbout): void {
    if (operation !== 'peek') this.#ledger.add(decision, durationMs, kind)
  }

  lost(about: { readonly limiter: string; readonly policy: string; readonly key: Key }): void {
    this.#ledger.lost(about)
  }

  storeFailed(event: StoreEvent): void {
    this.#stores.add(event)
  }

  timings(): readonly T[] {
    return this.#timings
  }

  /** Functions that read the current values of each metric. */
  readonly read: { readonly [metric in Single]: () => readonly Value[] | Promise<readonly Value[]> } = {
    decisions: () => this.#policies().flatMap(decisionsOf),
    nearLimit: () => this.#policies().map(({ labels, account }) => ({ labels, value: account.nearLimit })),
    shadowRefusals: () =>
      this.#policies().map(({ labels, account }) => ({ labels, value: account.shadowRefusals })),
    fallbackDecisions: () =>
      [...this.#ledger.limiters.entries()].map(([limiter, { withoutStore }]) => ({
        labels: { limiter },
        value: withoutStore,
      })),
    kindUnits: () => this.#policies().flatMap(kindsOf),
    lostLeases: () => this.#policies().map(({ labels, account }) => ({ labels, value: account.lostLeases })),
    sleepers: () => this.#limiters.sleepers(),
    aheadUnits: () => this.#limiters.aheadUnits(),
    aheadDecisions: () => this.#limiters.aheadDecisions(),
    reloadFailed: () => this.#limiters.failedReloads(),
    reloads: () => this.#limiters.reloads(),
    storeFailures: () => this.#stores.failures(),
    lateReplies: () => this.#stores.lateReplies(),
    breakerOpenings: () => this.#stores.openings(),
    breakerState: () => this.#limiters.breakers(),
    queueWaiting: () => this.#queues.read(({ waiting }) => waiting),
    queueRunning: () => this.#queues.read(({ running }) => running),
    queueAge: () => this.#queues.read(({ oldestMs }) => (oldestMs ?? 0) / 1000),
    queueDone: () => this.#queues.read(({ done }) => done),
    queueDead: () => this.#queues.read(({ dead }) => dead),
    sheddingLimit: () => this.#sheddings.sum(({ limit }) => limit),
    sheddingInFlight: () => this.#sheddings.sum(({ inFlight }) => inFlight),
    sheddingLatency: () => this.#sheddings.most(({ latencyMs }) => (latencyMs ?? 0) / 1000),
    sheddingLoopDelay: () => this.#sheddings.most(({ eventLoopDelayMs }) => eventLoopDelayMs / 1000),
    sheddingRefused: () => this.#sheddings.refused(),
  }

  #policies(): readonly LabelledAccount[] {
    return [...this.#ledger.limiters.entries()].flatMap(([limiter, { policies }]) =>
      [...policies.entries()]
        .map(([policy, account]) => ({ labels: { limiter, policy }, account }))
        .filter(isShown),
    )
  }
}

interface LabelledAccount {
  readonly labels: Labels
  readonly account: PolicyAccount
}

/** A policy appears once it has bound a decision, or has something else to show. */
function isShown({ account }: LabelledAccount): boolean {
  const { sources, groups, nearLimit, shadowRefusals, lostLeases } = account
  return !sources.empty || groups.size > 0 || nearLimit + shadowRefusals + lostLeases > 0
}

function decisionsOf({ labels, account }: LabelledAccount): readonly Value[] {
  return [...account.sources.entries()].flatMap(([source, outcomes]) =>
    valuesOf(outcomes, { ...labels, source }),
  )
}

/** Units of each kind of request, admitted and refused by this policy. */
function kindsOf({ labels, account }: LabelledAccount): readonly Value[] {
  return [...account.groups].flatMap(([kind, { hits, denied }]) => [
    { labels: { ...labels, kind, outcome: 'allowed' }, value: hits },
    { labels: { ...labels, kind, outcome: 'refused' }, value: denied },
  ])
}

/** Leaves out outcomes that have not occurred: most never do. */
function valuesOf(outcomes: Outcomes, labels: Labels): readonly Value[] {
  const all = Object.entries(outcomes).map(([outcome, value]) =>
    outcome === 'allowed'
      ? { labels: { ...labels, outcome }, value }
      : { labels: { ...labels, outcome: 'refused', reason: outcome }, value },
  )
  return all.filter(({ value }) => value > 0)
}
