import { makeRow } from '../row.ts'
import type { Check, StoreRow } from '../store.ts'
import { partReceipt } from './part-receipts.ts'

/** At most this part of what remains is taken ahead: what one process has in hand no other can use. */
const partOfRest = 4

/** Units that were taken at once. */
export interface Lot {
  units: number
  /** They may be used until then. */
  readonly endsUs: number
  /** From then on, or with so few units left, the next ones are taken. */
  readonly lateUs: number
  readonly lowUnits: number
  /** The row of the take that they are of. */
  readonly row: StoreRow
  readonly takenUs: number
  /** As it was taken, for all units at once. */
  readonly check: Check
}

/** What this process has of one key, and how much it has asked for lately. */
export class Hand {
  /** What is used first. */
  #lot: Lot | undefined
  /** What was taken before that had ended. */
  #next: Lot | undefined
  /** What was taken last. */
  #newest: Lot | undefined
  /** Units that were in hand then, and have gone back since. */
  #returned = 0
  readonly check: Check
  /** Settles once units that were asked for are in hand, or are not. */
  pending: Promise<unknown> | undefined
  /** How many acts on the key are under way: until they are over, nothing is used from the hand, and nothing is taken for it. */
  #acts = 0
  /** How many have begun. */
  acted = 0
  /** None are taken ahead before that. */
  restsUntilUs: number = Number.NEGATIVE_INFINITY
  /** Repeated until then, so that units for more than one become free meanwhile. */
  #refusal: StoreRow | undefined
  #refusedUs = 0
  #refusedUntilUs = 0
  #askedSinceUs = Number.NEGATIVE_INFINITY
  #asked = 0
  #askedBefore = 0
  /** What the store last said to remain. */
  #rest = Number.POSITIVE_INFINITY

  constructor(check: Check) {
    this.check = check
  }

  get units(): number {
    return (this.#lot?.units ?? 0) + (this.#next?.units ?? 0)
  }

  /** Those that may still be used at that time. */
  unitsAt(nowUs: number): number {
    return liveUnits(this.#lot, nowUs) + liveUnits(this.#next, nowUs)
  }

  /** Something is in hand, on its way there, or kept from it. */
  get isBusy(): boolean {
    return this.units > 0 || this.pending !== undefined || this.#acts > 0
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

  remains(units: number): void {
    this.#rest = units
  }

  /** As many as were asked for lately, as far as there is room. */
  wanted(nowUs: number): number {
    if (nowUs < this.restsUntilUs || this.#acts > 0) return 0
    return Math.min(this.lately - 1, Math.floor(this.#rest / partOfRest))
  }

  /** Units that were asked for in the time for which units are in hand. */
  get lately(): number {
    return Math.max(this.#asked, this.#askedBefore)
  }

  /** What is used first has ended, or is about to end or to be used up. */
  isLow(nowUs: number): boolean {
    const lot = this.#lot
    return lot !== undefined && (lot.units <= lot.lowUnits || nowUs >= lot.lateUs)
  }

  /**
   * How many to take before those in hand have ended or are used up. 0: not now. None where there is little room: what is in hand of
   * two takes would be missed elsewhere.
   */
  renewal(nowUs: number): number {
    if (this.#next !== undefined || this.pending !== undefined || !this.isLow(nowUs)) return 0
    const lately = this.lately
    return nowUs >= this.restsUntilUs && lately * partOfRest <= this.#rest ? lately : 0
  }

  refused(row: StoreRow, nowUs: number, aheadUs: number): void {
    this.#refusal = row
    this.#refusedUs = nowUs
    this.#refusedUntilUs = nowUs + aheadUs
    this.#rest = Number.POSITIVE_INFINITY
  }

  actBegins(): void {
    this.#acts++
    this.acted++
    this.forgive()
  }

  actEnds(): void {
    this.#acts--
  }

  forgive(): void {
    this.#refusal = undefined
  }

  /** The row of a cost that was refused a moment ago. */
  refusal(nowUs: number): StoreRow | undefined {
    const row = this.#refusal
    if (row === undefined) return undefined
    if (nowUs >= this.#refusedUntilUs) {
      this.#refusal = undefined
      return undefined
    }
    const passedUs = nowUs - this.#refusedUs
    const retryAfterUs = Math.max(row.retryAfterUs - passedUs, this.#refusedUntilUs - nowUs)
    return { ...row, retryAfterUs, resetAfterUs: Math.max(retryAfterUs, row.resetAfterUs - passedUs) }
  }

  /** Where there are two already, the last of them is answered: it has no room. */
  add(lot: Lot): Lot | undefined {
    const without = this.#next
    this.#newest = lot
    this.#returned = 0
    if (this.#lot === undefined) this.#lot = lot
    else this.#next = lot
    return without
  }

  /** Takes out the first of what may no longer be used. */
  ended(nowUs: number): Lot | undefined {
    const lot = this.#lot
    if (lot === undefined || nowUs < lot.endsUs) return undefined
    this.#lot = this.#next
    this.#next = undefined
    if (this.#newest !== undefined && leavesRoom(lot, this.#newest)) this.#returned += lot.units
    return lot
  }

  has(units: number, nowUs: number): boolean {
    return this.#lotFor(units, nowUs) !== undefined
  }

  #lotFor(units: number, nowUs: number): Lot | undefined {
    if (units < 1 || this.#acts > 0) return undefined
    if (isIn(this.#lot, units, nowUs)) return this.#lot
    return isIn(this.#next, units, nowUs) ? this.#next : undefined
  }

  /** The row of units that are used from the hand; undefined where it has not as many. */
  use(units: number, nowUs: number): StoreRow | undefined {
    const lot = this.#lotFor(units, nowUs)
    if (lot === undefined) return undefined
    lot.units -= units
    if (lot.units === 0) this.#drop(lot)
    return this.#rowAs(partReceipt(lot.check.cost - lot.units, lot.row.receipt), lot, nowUs)
  }

  /** The row of a look by somebody who would be given as many from the hand. */
  look(units: number, nowUs: number): StoreRow | undefined {
    const lot = this.#lotFor(units, nowUs)
    return lot === undefined ? undefined : this.#rowAs('', lot, nowUs)
  }

  /** As the newest take has left the key; what is in hand remains to this process. */
  #rowAs(receipt: string, lot: Lot, nowUs: number): StoreRow {
    const { row, takenUs } = this.#newest ?? lot
    const resetAfterUs = Math.max(0, row.resetAfterUs - (nowUs - takenUs))
    const remaining = row.remaining + this.#returned + this.unitsAt(nowUs)
    return makeRow({ limit: row.limit, remaining, retryAfterUs: 0, resetAfterUs }, null, receipt)
  }

  #drop(lot: Lot): void {
    if (lot === this.#lot) this.#lot = this.#next
    this.#next = undefined
  }
}

/** The newest take still counts them as used: they go back, and their window has not ended before it. */
function leavesRoom(lot: Lot, newest: Lot): boolean {
  return lot !== newest && lot.takenUs + lot.row.resetAfterUs > newest.takenUs
}

function liveUnits(lot: Lot | undefined, nowUs: number): number {
  return lot === undefined || nowUs >= lot.endsUs ? 0 : lot.units
}

function isIn(lot: Lot | undefined, units: number, nowUs: number): lot is Lot {
  return lot !== undefined && units <= lot.units && nowUs < lot.endsUs
}
