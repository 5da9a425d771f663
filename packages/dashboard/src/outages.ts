import type { StoreEvent } from '@sluice/core'
import type { EventLog } from './event-log.ts'
import type { Sums } from './sums.ts'
import type { History, StoreState } from './wire.ts'
import { awayWords, backWords, storeName } from './words.ts'

type Span = readonly [fromSecond: number, toSecond: number | null]

const maxKept = 100
/** Requests may come less than once a second: a gap this short does not end an outage. */
const gapSeconds = 2

interface Open {
  readonly fromMs: number
  /** Whether no event reported it, so that its end may not be reported either. */
  readonly found: boolean
  readonly unitsBefore: number
}

/** When stores were unavailable: from this process's events, and from units that were counted without a store. */
export class Outages {
  readonly #log: EventLog
  readonly #nowMs: () => number
  readonly #horizonMs: () => number
  readonly #open = new Map<string, Open>()
  #past: readonly Span[] = []
  #localUnits = 0
  /** What a policy did the last time it was without a store. */
  #onFailure: StoreState['onFailure'] = 'local'

  /** `horizonMs`: how long this process's own counts matter to any policy. */
  constructor(log: EventLog, nowMs: () => number, horizonMs: () => number) {
    this.#log = log
    this.#nowMs = nowMs
    this.#horizonMs = horizonMs
  }

  get onFailure(): StoreState['onFailure'] {
    return this.#onFailure
  }

  /** A store that is unavailable; empty if there is none. */
  get awayStore(): string {
    const [store = ''] = this.#open.keys()
    return store
  }

  get awayFromMs(): number | null {
    const all = [...this.#open.values()].map(({ fromMs }) => fromMs)
    return all.length === 0 ? null : Math.min(...all)
  }

  decidedWithout(onFailure: StoreState['onFailure'], units: number): void {
    this.#onFailure = onFailure
    this.#localUnits += units
  }

  /** Called once per limiter, even if limiters share a store. */
  failed({ kind, store, error }: StoreEvent): void {
    if (kind !== 'opened' || this.#open.has(store)) return
    this.#open.set(store, { fromMs: this.#nowMs(), found: false, unitsBefore: this.#localUnits })
    this.#log.add(`${storeName(store)} does not answer`, awayWords(error, this.#onFailure), 'away')
  }

  recovered({ store }: Pick<StoreEvent, 'store'>): void {
    const open = this.#open.get(store)
    if (open === undefined) return
    this.#open.delete(store)
    const toMs = this.#nowMs()
    this.#past = [...this.#past, [open.fromMs / 1000, toMs / 1000] as const].slice(-maxKept)
    const localUnits = this.#localUnits - open.unitsBefore
    const exactInMs = localUnits > 0 && this.#onFailure === 'local' ? this.#horizonMs() : 0
    const words = backWords(toMs - open.fromMs, localUnits, exactInMs)
    this.#log.add(`${storeName(store)} answers again`, words, 'live')
  }

  /** From the health of a store: it may have gone away before the dashboard watched. */
  found(store: string, awayMs: number | null): void {
    const open = this.#open.get(store)
    if (awayMs === null && open?.found === true) this.recovered({ store })
    if (awayMs === null || open !== undefined) return
    this.#open.set(store, { fromMs: this.#nowMs() - awayMs, found: true, unitsBefore: this.#localUnits })
  }

  /** Spans that reach beyond a second, in order, and merged where they touch. */
  since(fromSecond: number, local: Sums, lastSecond: number): History['outages'] {
    const open = [...this.#open.values()].map(({ fromMs }): Span => [fromMs / 1000, null])
    const reported = [...this.#past.filter(([, to]) => (to ?? 0) > fromSecond), ...open]
    return joined([...reported, ...localSpans(fromSecond, local, lastSecond)])
  }
}

function localSpans(fromSecond: number, local: Sums, lastSecond: number): readonly Span[] {
  const spans: Span[] = []
  if (local.empty) return spans
  for (let second = fromSecond; second <= lastSecond; second++) {
    if (local.in(second, 1) > 0) spans.push([second, second + 1])
  }
  return spans
}

function joined(spans: readonly Span[]): readonly Span[] {
  const sorted = [...spans].sort(([a], [b]) => a - b)
  const all: Span[] = []
  for (const [from, to] of sorted) {
    const before = all.at(-1)
    if (before === undefined || (before[1] !== null && from - before[1] > gapSeconds)) all.push([from, to])
    else all[all.length - 1] = [before[0], before[1] === null || to === null ? null : Math.max(before[1], to)]
  }
  return all
}
