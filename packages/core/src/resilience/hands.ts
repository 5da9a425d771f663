import type { Clock } from '../clock.ts'
import type { Change, Check, Store } from '../store.ts'
import { wakeQuietly } from '../waiting/timer.ts'
import { AheadTimes, type TakenUnits } from './ahead-times.ts'
import { Hand, type Lot } from './hand.ts'

/** Keys of which units may be in hand; of further ones none are taken ahead. */
const mostKeys = 10_000

/** What this process has in hand of all keys. What is not used in time is given back. */
export class Hands {
  readonly #store: Pick<Store, 'adjust'>
  readonly #aheadUs: number
  readonly #clock: Clock
  readonly #times: AheadTimes
  readonly #byId = new Map<string, Map<string, Hand>>()
  #count = 0
  /** Those with units. */
  readonly #full = new Set<Hand>()
  /** What goes back just now. */
  readonly #underWay = new Set<Promise<void>>()
  #stopTimer: (() => void) | undefined
  #closed = false

  constructor(store: Pick<Store, 'adjust'>, { aheadUs, clock }: { aheadUs: number; clock: Clock }) {
    this.#store = store
    this.#aheadUs = aheadUs
    this.#clock = clock
    this.#times = new AheadTimes(aheadUs)
  }

  get closed(): boolean {
    return this.#closed
  }

  get units(): number {
    let units = 0
    for (const hand of this.#full) units += hand.units
    return units
  }

  known({ id, key }: Check): Hand | undefined {
    return this.#byId.get(id)?.get(key)
  }

  /** undefined: there is no room for another key. */
  of(check: Check): Hand | undefined {
    return this.known(check) ?? (this.#hasRoom() ? this.#add(check) : undefined)
  }

  /** Of a key that is being changed there is one in any case. */
  ofActOn(check: Check): Hand {
    return this.of(check) ?? this.#add(check)
  }

  #add(check: Check): Hand {
    let ofId = this.#byId.get(check.id)
    if (ofId === undefined) {
      ofId = new Map()
      this.#byId.set(check.id, ofId)
    }
    const hand = new Hand(check)
    ofId.set(check.key, hand)
    this.#count++
    return hand
  }

  /** In the place of the oldest keys of which nothing is in hand. */
  #hasRoom(): boolean {
    for (const ofId of this.#byId.values()) {
      for (const [key, hand] of ofId) {
        if (this.#count < mostKeys) return true
        if (hand.isBusy) break
        ofId.delete(key)
        this.#count--
      }
    }
    return this.#count < mostKeys
  }

  /** In hand from now on. */
  keep(hand: Hand, taken: TakenUnits): void {
    const noRoom = hand.add(this.#times.lotOf(taken, hand, this.#clock.nowUs()))
    if (noRoom !== undefined) void this.adjust([unusedOf(noRoom)])
    this.#full.add(hand)
    this.#arm()
  }

  /** Units of it have been used. */
  used(hand: Hand): void {
    if (hand.units === 0) this.#full.delete(hand)
  }

  /** What may no longer be used at that time. @default all */
  giveBack(
    hands: readonly (Hand | undefined)[],
    nowUs: number = Number.POSITIVE_INFINITY,
  ): Promise<void> | undefined {
    let changes: Change[] | undefined
    for (let i = 0; i < hands.length; i++) {
      const hand = hands[i]
      for (let lot = hand?.ended(nowUs); lot !== undefined; lot = hand?.ended(nowUs)) {
        if (lot.units === 0) continue
        changes ??= []
        changes.push(unusedOf(lot))
      }
      if (hand !== undefined) this.used(hand)
    }
    return changes === undefined ? undefined : this.adjust(changes)
  }

  /** Never rejects: what cannot be given back leaves with its window. */
  async adjust(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    const given = this.#given(changes)
    this.#underWay.add(given)
    await given
    this.#underWay.delete(given)
  }

  async #given(changes: readonly Change[]): Promise<void> {
    try {
      await this.#store.adjust(changes)
    } catch {
      // The store has counted and reported its failure.
    }
  }

  /** Resolves once nothing is in hand of these keys, and the store has heard of all that was given back. */
  async empty(hands: readonly Hand[]): Promise<void> {
    await Promise.all(hands.map(({ pending }) => pending))
    void this.giveBack(hands)
    await Promise.all(this.#underWay)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopTimer?.()
    await this.giveBack([...this.#full])
    // What is still under way is given back when it comes.
    await Promise.all(
      [...this.#byId.values()].flatMap((ofId) => [...ofId.values()].map(({ pending }) => pending)),
    )
  }

  #arm(): void {
    this.#stopTimer ??= wakeQuietly(this.#clock, this.#aheadUs / 1000, () => this.#ring())
  }

  #ring(): void {
    this.#stopTimer = undefined
    void this.giveBack([...this.#full], this.#clock.nowUs())
    if (this.#full.size > 0 && !this.#closed) this.#arm()
  }
}

function unusedOf({ check, row, units }: Lot): Change {
  return { check, receipt: row.receipt, byUnits: -units }
}
