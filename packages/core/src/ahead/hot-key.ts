import { makeRow } from '../row.ts'
import type { Check, StoreRow } from '../store.ts'
import { partReceipt } from './rows.ts'

/** At most this part of what remains is taken ahead: what one process has in hand no other can use. */
const partOfRest = 4

/** Units in hand that were taken at once. */
export interface UnitsInHand {
  units: number
  /** They may be used until then. */
  readonly endsUs: number
  /** The next units are taken from then on, or once no more than `lowUnits` are left. */
  readonly lateUs: number
  readonly lowUnits: number
  /** The store's answer to the call that took them. */
  readonly row: StoreRow
  readonly takenUs: number
  /** The check by which all of these units were taken at once. */
  readonly check: Check
}

/** A key that is asked for often: which units this process has of it, and how many were asked for lately. */
export class HotKey {
  /** The units that are used first. */
  #first: UnitsInHand | undefined
  /** The units that were taken before the first had ended. */
  #next: UnitsInHand | undefined
  /** The units that were taken last. */
  #newest: UnitsInHand | undefined
  /** Units that were in hand when the newest were taken, and have gone back since. */
  #returned = 0
  /** Settles once units that were asked for are in hand, or could not be taken. */
  pending: Promise<unknown> | undefined
  /** How many acts on the key are under way: until they are over, nothing is used, and nothing is taken ahead. */
  #acts = 0
  /** How many acts have begun. */
  acted = 0
  /** No units are taken ahead before that. */
  restsUntilUs: number = Number.NEGATIVE_INFINITY
  /** Repeated until `#refusedUntilUs`, so that units for more than one question become free meanwhile. */
  #refusal: StoreRow | undefined
  #refusedUs = 0
  #refusedUntilUs = 0
  #askedSinceUs = Number.NEGATIVE_INFINITY
  #asked = 0
  #askedBefore = 0
  /** How many units remain, by the store's latest answer. */
  #rest = Number.POSITIVE_INFINITY

  get units(): number {
    return (this.#first?.units ?? 0) + (this.#next?.units ?? 0)
  }

  /** The units that may be used at that time. */
  unitsAt(nowUs: number): number {
    return usable(this.#first, nowUs) + usable(this.#next, nowUs)
  }

  /** Whether it has units, waits for some, or must have none for now. */
  get isBusy(): boolean {
    return this.units > 0 || this.pending !== undefined || this.#acts > 0
  }

  /** Notes that units are on their way: questions that need some wait for them. */
  expects(units: Promise<unknown>): void {
    const over = () => {
      this.pending = undefined
    }
    this.pending = units.then(over, over)
  }

  asked(units: number, nowUs: number, aheadUs: number): void {
    const sinceUs = nowUs - this.#askedSinceUs
    if (sinceUs >= aheadUs) {
      this.#askedBefore = sinceUs < 2 * aheadUs ? this.#asked : 0
      this.#asked = 0
      this.#askedSinceUs = nowUs
    }
    this.#asked += units
  }

  /** How many units were asked for lately, in a time as long as that for which units are taken. */
  get lately(): number {
    return Math.max(this.#asked, this.#askedBefore)
  }

  remains(units: number): void {
    this.#rest = units
  }

  /** How many units to take beyond those of a question: as many as were asked for lately, as far as there is room. */
  wanted(nowUs: number): number {
    if (nowUs < this.restsUntilUs || this.#acts > 0) return 0
    return Math.min(this.lately - 1, Math.floor(this.#rest / partOfRest))
  }

  /**
   * How many units to take before those in hand have ended or are used up; 0: not now. None are taken where there is little room: with
   * units of two takes in hand, too many would be missed elsewhere.
   */
  wantedNext(nowUs: number): number {
    if (this.#next !== undefined || this.pending !== undefined || !this.isLow(nowUs)) return 0
    const { lately } = this
    return nowUs >= this.restsUntilUs && lately * partOfRest <= this.#rest ? lately : 0
  }

  /** Whether the units that are used first have ended, or are about to end or to be used up. */
  isLow(nowUs: number): boolean {
    const first = this.#first
    return first !== undefined && (first.units <= first.lowUnits || nowUs >= first.lateUs)
  }

  actBegins(): void {
    this.#acts++
    this.acted++
    this.forgive()
  }

  actEnds(): void {
    this.#acts--
  }

  refused(row: StoreRow, nowUs: number, aheadUs: number): void {
    this.#refusal = row
    this.#refusedUs = nowUs
    this.#refusedUntilUs = nowUs + aheadUs
    this.#rest = Number.POSITIVE_INFINITY
  }

  /** Drops the refusal: there may be room again. */
  forgive(): void {
    this.#refusal = undefined
  }

  /** The row of a refusal a moment ago, with its times as of now; undefined: it is not repeated. */
  refusal(nowUs: number): StoreRow | undefined {
    const row = this.#refusal
    if (row === undefined || nowUs >= this.#refusedUntilUs) return undefined
    const passedUs = nowUs - this.#refusedUs
    const retryAfterUs = Math.max(row.retryAfterUs - passedUs, this.#refusedUntilUs - nowUs)
    return { ...row, retryAfterUs, resetAfterUs: Math.max(retryAfterUs, row.resetAfterUs - passedUs) }
  }

  /** Puts units in hand. Where there are units of two takes already, returns the later ones, which are to be given back. */
  add(taken: UnitsInHand): UnitsInHand | undefined {
    const replaced = this.#next
    this.#newest = taken
    this.#returned = 0
    if (this.#first === undefined) this.#first = taken
    else this.#next = taken
    return replaced
  }

  /** Removes and returns the units that are used first, if they may no longer be used. */
  ended(nowUs: number): UnitsInHand | undefined {
    const first = this.#first
    if (first === undefined || nowUs < first.endsUs) return undefined
    this.#first = this.#next
    this.#next = undefined
    if (this.#newest !== undefined && leavesRoom(first, this.#newest)) this.#returned += first.units
    return first
  }

  has(units: number, nowUs: number): boolean {
    return this.#fromWhich(units, nowUs) !== undefined
  }

  /** Uses units and returns their row; undefined where it has not as many. */
  use(units: number, nowUs: number): StoreRow | undefined {
    const taken = this.#fromWhich(units, nowUs)
    if (taken === undefined) return undefined
    taken.units -= units
    if (taken.units === 0) this.#drop(taken)
    return this.#rowOf(taken, partReceipt(taken.check.cost - taken.units, taken.row.receipt), nowUs)
  }

  look(units: number, nowUs: number): StoreRow | undefined {
    const taken = this.#fromWhich(units, nowUs)
    return taken === undefined ? undefined : this.#rowOf(taken, '', nowUs)
  }

  #fromWhich(units: number, nowUs: number): UnitsInHand | undefined {
    if (units < 1 || this.#acts > 0) return undefined
    if (units <= usable(this.#first, nowUs)) return this.#first
    return units <= usable(this.#next, nowUs) ? this.#next : undefined
  }

  /** The row as the newest take has left the key; units in hand remain to this process. */
  #rowOf(taken: UnitsInHand, receipt: string, nowUs: number): StoreRow {
    const { row, takenUs } = this.#newest ?? taken
    const resetAfterUs = Math.max(0, row.resetAfterUs - (nowUs - takenUs))
    const remaining = row.remaining + this.#returned + this.unitsAt(nowUs)
    return makeRow({ limit: row.limit, remaining, retryAfterUs: 0, resetAfterUs }, null, receipt)
  }

  #drop(used: UnitsInHand): void {
    if (used === this.#first) this.#first = this.#next
    this.#next = undefined
  }
}

/** Whether the newest take still counts these units as used, which go back: their window had not ended before it. */
function leavesRoom(taken: UnitsInHand, newest: UnitsInHand): boolean {
  return taken !== newest && taken.takenUs + taken.row.resetAfterUs > newest.takenUs
}

function usable(taken: UnitsInHand | undefined, nowUs: number): number {
  return taken === undefined || nowUs >= taken.endsUs ? 0 : taken.units
}
