import { type Keyed, KeyedList } from '../linked-list.ts'
import type { Check, StoreRow } from '../store.ts'
import { horizonUs, partsOf, spacingUs } from '../strategies/policy-parts.ts'

/** At most this many entries that no longer matter, or are too many, are dropped with each new one. */
const sweepSteps = 8

/** What is known of a key since an outage. */
interface KnownKey extends Keyed<KnownKey> {
  /** When the store last knew all that this process has counted of the key; 0: it does not know all. */
  readonly syncedUs: number
  /** Until when this entry matters. */
  readonly untilUs: number
  /** The number of the latest change that was sent to the store; 0: none was. */
  sent: number
}

/**
 * The keys against which this process holds what it has counted without the store. After an outage that is every key, until the count
 * no longer matters or the store knows all of it. Some keys are held although the store is well: the store had no room to renew what
 * is in flight, calls of others kept the key busy beyond the deadline, or the key has been in use without a pause since the outage.
 */
export class HeldKeys {
  readonly #most: number
  readonly #known = new KeyedList<KnownKey>()
  /** When the latest decision without the store was made, or its connection was lost. */
  #aloneUs = Number.NEGATIVE_INFINITY
  #sent = 0
  /** When the last entry that holds a key ends. */
  #latestUs = 0

  /** `most`: how many keys are known. Beyond that the ones noted first are dropped. */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  /** Notes that from here on the store may have lost what it had. */
  noticeOutage(nowUs: number): void {
    this.#aloneUs = nowUs
  }

  isHeld(check: Check, nowUs: number): boolean {
    const isOver = nowUs >= this.#heldUntilUs(check)
    // Most checks after an outage get no further.
    if (isOver && nowUs >= this.#latestUs) return false
    const known = this.#known.get(check)
    if (known?.syncedUs === 0 && known.untilUs > nowUs) return true
    return !isOver && (known?.syncedUs ?? 0) <= this.#aloneUs
  }

  /** Until when the counts of the outage matter; for a key in use without a pause they matter longer (`holdOn`). */
  #heldUntilUs({ policy }: Check): number {
    return this.#aloneUs + horizonUs(policy)
  }

  /** Holds the key for `inUs` and one horizon of its policy: for so long the store does not know what is counted here. */
  hold(check: Check, inUs: number, nowUs: number): void {
    this.holdUntil(check, nowUs + inUs + horizonUs(check.policy), nowUs)
  }

  holdUntil(check: Check, untilUs: number, nowUs: number): void {
    const known = this.#known.get(check)
    const longestUs = known?.syncedUs === 0 ? Math.max(known.untilUs, untilUs) : untilUs
    this.#latestUs = Math.max(this.#latestUs, longestUs)
    this.#put(check, { syncedUs: 0, untilUs: longestUs }, nowUs)
  }

  /** Holds the key beyond its time: in a count without windows a part of the outage stays while the key is asked without a pause. */
  holdOn(check: Check, { resetAfterUs }: StoreRow, nowUs: number): void {
    if (partsOf(check.policy).definition.raise === undefined) return
    const fullInUs = resetAfterUs + spacingUs(check.policy, check.cost)
    const known = this.#known.get(check)
    if (known?.syncedUs !== 0 || known.untilUs <= nowUs + fullInUs) this.hold(check, fullInUs, nowUs)
  }

  /** Notes that a change of these keys is on its way to the store, and returns its number. */
  noteSent(checks: readonly Check[]): number {
    this.#sent++
    for (const check of checks) {
      const known = this.#known.get(check)
      if (known !== undefined) known.sent = this.#sent
    }
    return this.#sent
  }

  /**
   * Ends the hold: the store knew all of the key at `syncedUs`. `sent`: the number of the change by which it does; while a later change
   * of the key is on its way, the key is still held.
   */
  letGo(check: Check, syncedUs: number, sent: number = this.#sent): void {
    if ((this.#known.get(check)?.sent ?? 0) > sent) return
    this.#put(check, { syncedUs, untilUs: this.#heldUntilUs(check) }, syncedUs)
  }

  /**
   * Holds a key again when units of it are given back, as the store may then count less than it was told; also while a change of the key
   * is on its way to it.
   */
  holdAgain(check: Check, nowUs: number): void {
    const known = this.#known.get(check)
    if (known === undefined) return
    known.sent = ++this.#sent
    this.holdUntil(check, known.untilUs, nowUs)
  }

  #put(check: Check, state: Pick<KnownKey, 'syncedUs' | 'untilUs'>, nowUs: number): void {
    const { id, key } = check
    const sent = this.#known.get(check)?.sent ?? 0
    for (let steps = sweepSteps; steps > 0; steps--) {
      const { first, size } = this.#known
      if (first === undefined || (first.untilUs > nowUs && size < this.#most)) break
      this.#known.drop(first)
    }
    this.#known.put({ id, key, ...state, sent, previous: undefined, next: undefined })
  }
}
