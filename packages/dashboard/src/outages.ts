import type { StoreEvent } from '@sluice/core'
import type { EventLog } from './event-log.ts'
import type { StoreState } from './wire.ts'
import { awayWords, backWords, storeName } from './words.ts'

interface Open {
  readonly fromMs: number
  /** Whether no event reported it, so that its end may not be reported either. */
  readonly found: boolean
  readonly unitsBefore: number
}

/** Which stores are unavailable, from this process's events. */
export class Outages {
  readonly #log: EventLog
  readonly #nowMs: () => number
  readonly #horizonMs: () => number
  readonly #open = new Map<string, Open>()
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
    this.#log.add(`${storeName(store)} does not answer`, awayWords(error, this.#onFailure), { mark: 'away' })
  }

  recovered({ store }: Pick<StoreEvent, 'store'>): void {
    const open = this.#open.get(store)
    if (open === undefined) return
    this.#open.delete(store)
    const toMs = this.#nowMs()
    const localUnits = this.#localUnits - open.unitsBefore
    const exactInMs = localUnits > 0 && this.#onFailure === 'local' ? this.#horizonMs() : 0
    const words = backWords(toMs - open.fromMs, localUnits)
    const exactAtMs = Math.floor(toMs) + Math.ceil(exactInMs)
    this.#log.add(`${storeName(store)} answers again`, words, { mark: 'live', exactAtMs })
  }

  /** From the health of a store: it may have gone away before the dashboard watched. */
  found(store: string, awayMs: number | null): void {
    const open = this.#open.get(store)
    if (awayMs === null && open?.found === true) this.recovered({ store })
    if (awayMs === null || open !== undefined) return
    this.#open.set(store, { fromMs: this.#nowMs() - awayMs, found: true, unitsBefore: this.#localUnits })
  }
}
