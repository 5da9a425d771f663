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

/** How a limiter decides without its store. */
type Way = Exclude<StoreState['onFailure'], 'mixed'>

/** A store that has failed, and may or may not be unavailable. */
interface Failing {
  readonly lastMs: number
  readonly unitsBefore: number
}

/** While a store is unavailable it is asked about twice a second. */
const mostBetweenFailuresMs = 2000

/** Which stores are unavailable, from this process's events. */
export class Outages {
  readonly #log: EventLog
  readonly #nowMs: () => number
  readonly #horizonMs: (nowMs: number) => number
  readonly #open = new Map<string, Open>()
  readonly #failing = new Map<string, Failing>()
  #localUnits = 0
  /** What limiters have done since a store began to fail, the last time that one did. */
  readonly #ways = new Set<Way>()

  /** `horizonMs`: how long this process's own counts matter to any policy. */
  constructor(log: EventLog, nowMs: () => number, horizonMs: (nowMs: number) => number) {
    this.#log = log
    this.#nowMs = nowMs
    this.#horizonMs = horizonMs
  }

  get onFailure(): StoreState['onFailure'] {
    const [way = 'local', another] = this.#ways
    return another === undefined ? way : 'mixed'
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

  /** Units decided without the store since the first of the outages began that are not over; 0 where all are. */
  get localUnits(): number {
    const before = [...this.#open.values()].map(({ unitsBefore }) => unitsBefore)
    return before.length === 0 ? 0 : this.#localUnits - Math.min(...before)
  }

  decidedWithout(way: Way, units: number): void {
    this.#ways.add(way)
    this.#localUnits += units
  }

  /** Called once per limiter, even if limiters share a store. */
  failed({ kind, store, error }: StoreEvent): void {
    if (kind === 'failed') this.#failedOnce(store)
    if (kind !== 'opened' || this.#open.has(store)) return
    const { unitsBefore } = this.#failedOnce(store)
    this.#open.set(store, { fromMs: this.#nowMs(), found: false, unitsBefore })
    this.#log.add(`${storeName(store)} does not answer`, awayWords(error, this.onFailure), { mark: 'away' })
  }

  /** An outage begins with its first failure: what was decided between that and the opened circuit belongs to it. */
  #failedOnce(store: string): Failing {
    const nowMs = this.#nowMs()
    const known = this.#failing.get(store)
    const goesOn = known !== undefined && nowMs - known.lastMs <= mostBetweenFailuresMs
    if (!goesOn && this.#open.size === 0) this.#ways.clear()
    const failing = { lastMs: nowMs, unitsBefore: goesOn ? known.unitsBefore : this.#localUnits }
    this.#failing.set(store, failing)
    return failing
  }

  recovered({ store }: Pick<StoreEvent, 'store'>): void {
    const open = this.#open.get(store)
    if (open === undefined) return
    this.#open.delete(store)
    this.#failing.delete(store)
    const toMs = Math.floor(this.#nowMs())
    const localUnits = this.#localUnits - open.unitsBefore
    const exactInMs = localUnits > 0 && this.#ways.has('local') ? this.#horizonMs(toMs) : 0
    const words = backWords(toMs - open.fromMs, localUnits)
    const exactAtMs = toMs + Math.ceil(exactInMs)
    this.#log.add(`${storeName(store)} answers again`, words, { atMs: toMs, mark: 'live', exactAtMs })
  }

  /** Notes from a store's health whether it is away: its outage may have begun before the dashboard watched. */
  found(store: string, awayMs: number | null): void {
    const open = this.#open.get(store)
    if (awayMs === null && open?.found === true) this.recovered({ store })
    if (awayMs === null || open !== undefined) return
    this.#open.set(store, { fromMs: this.#nowMs() - awayMs, found: true, unitsBefore: this.#localUnits })
  }
}
