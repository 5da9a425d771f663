import { askStore } from '../ask-store.ts'
import { type Clock, realClock } from '../clock.ts'
import type { Policy } from '../policy.ts'
import type { AheadHealth, Change, Check, Question, StoreRow, StoreRows, UnitsAhead } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { leased } from '../strategies/leased.ts'
import { type Hand, wholeOf } from './hand.ts'
import { Hands } from './hands.ts'
import type { StoreForLeases } from './store-for-leases.ts'
import { type Asking, TakingAhead } from './taking-ahead.ts'
import { UnitRenewal } from './unit-renewal.ts'

/**
 * Units that this process has taken ahead. Each counts from when it was taken, and may be used for one lease's time after the take
 * was sent; the policies are counted by numbers which hold for any instant in it. What is not used by then is given back. A process
 * that dies, hangs or misses a reply leaves units unused, never used twice.
 */
export class UnitLeases implements UnitsAhead {
  readonly #store: StoreForLeases
  readonly #leaseUs: number
  readonly #clock: Clock
  readonly #hands: Hands
  readonly #taking: TakingAhead
  readonly #renewal: UnitRenewal
  #decisions = 0

  constructor(store: StoreForLeases, leaseUs: number) {
    this.#store = store
    this.#leaseUs = leaseUs
    this.#clock = store.clock ?? realClock
    const times = { leaseUs, clock: this.#clock }
    this.#hands = new Hands(store, times)
    this.#taking = new TakingAhead(store, this.#hands, times)
    this.#renewal = new UnitRenewal(store, this.#hands, times)
  }

  counted(policy: Policy, name: string): Policy {
    return leased(policy, name, this.#leaseUs)
  }

  answer(question: Question): StoreRows | Promise<StoreRows> {
    const nowUs = this.#clock.nowUs()
    const hands = this.#handsOf(question, nowUs)
    if (hands === undefined) return askStore(this.#store, question)
    const known = this.#fromHands(question, hands, nowUs)
    if (known !== undefined) return known
    const asking: Asking = { question, hands, waiting: this.#store.begin() }
    const pending = pendingOf(hands)
    return pending === undefined
      ? this.#taking.take(asking, nowUs)
      : pending.then(() => this.#afterOthers(asking))
  }

  /** undefined: nothing is taken ahead for this question. */
  #handsOf({ checks, take, maxWaitUs, charge, others }: Question, nowUs: number) {
    if (this.#hands.closed || !take || maxWaitUs > 0 || charge !== 'all-or-nothing' || others !== undefined)
      return
    const hands: Hand[] = []
    for (const check of checks) {
      const hand = partsOf(check.policy).stated === undefined ? undefined : this.#hands.of(check)
      if (hand === undefined) return
      hand.asked(check.cost, nowUs, this.#leaseUs)
      hands.push(hand)
    }
    return hands
  }

  /** What this process knows without the store. */
  #fromHands(question: Question, hands: readonly Hand[], nowUs: number): StoreRows | undefined {
    const { checks } = question
    if (allHave(question, hands, nowUs)) return this.#use(question, hands, nowUs)
    void this.#hands.giveBack(hands, nowUs)
    const refusal = checks.length === 1 && checks[0]?.cost !== 0 ? hands[0]?.refusal(nowUs) : undefined
    return refusal && [refusal]
  }

  #use({ checks }: Question, hands: readonly Hand[], nowUs: number): StoreRows {
    this.#decisions++
    const rows: StoreRow[] = []
    for (let i = 0; i < checks.length; i++) {
      const hand = hands[i]
      const row = hand?.use(checks[i]?.cost ?? 0, nowUs)
      if (hand === undefined || row === undefined) continue
      rows.push(row)
      if (hand.isLow(nowUs)) this.#renewal.renew(hand, nowUs)
      this.#hands.used(hand)
    }
    return rows
  }

  /** Units for others have come, or have not. */
  #afterOthers(asking: Asking): StoreRows | Promise<StoreRows> {
    const { question, hands } = asking
    const nowUs = this.#clock.nowUs()
    const known = this.#fromHands(question, hands, nowUs)
    if (known !== undefined) return known
    const isLate = this.#hands.closed || pendingOf(hands) !== undefined
    return isLate ? this.#taking.plainly(asking) : this.#taking.take(asking, nowUs)
  }

  async letGo(checks: readonly Check[]): Promise<void> {
    const hands = checks.flatMap((check) => this.#hands.known(check) ?? [])
    for (const hand of hands) hand.forgive()
    await Promise.all(hands.map(({ pending }) => pending))
    await this.#hands.giveBack(hands)
  }

  corrections<C extends Change>(changes: readonly C[]): readonly C[] {
    for (const { check } of changes) this.#hands.known(check)?.forgive()
    return changes.map(wholeOf)
  }

  health(): AheadHealth {
    return { inHand: this.#hands.units, decisions: this.#decisions }
  }

  close(): Promise<void> {
    return this.#hands.close()
  }
}

function allHave({ checks }: Question, hands: readonly Hand[], nowUs: number): boolean {
  for (let i = 0; i < checks.length; i++) {
    if (hands[i]?.has(checks[i]?.cost ?? 0, nowUs) !== true) return false
  }
  return true
}

function pendingOf(hands: readonly Hand[]): Promise<unknown> | undefined {
  return hands.find(({ pending }) => pending !== undefined)?.pending
}
