import { askStore } from '../ask-store.ts'
import { type Clock, realClock } from '../clock.ts'
import type { Policy } from '../policy.ts'
import type { AheadHealth, Change, Check, Question, StoreRow, StoreRows, UnitsAhead } from '../store.ts'
import { countedAhead } from '../strategies/counted-ahead.ts'
import { partsOf } from '../strategies/definition.ts'
import type { AheadStore } from './ahead-store.ts'
import type { Hand } from './hand.ts'
import { Hands } from './hands.ts'
import { withInHand } from './in-hand.ts'
import { type Shortfall, TakingAhead } from './taking-ahead.ts'
import { UnitRenewal } from './unit-renewal.ts'

/**
 * Units that this process has taken ahead. Each counts from when it was taken, and may be used for the time of `ahead` after the take
 * was sent; the policies are counted by numbers which hold for any instant in it. What is not used by then is given back. A process
 * that dies, hangs or misses a reply leaves units unused, never used twice.
 */
export class LimiterUnits implements UnitsAhead {
  readonly #store: AheadStore
  readonly #aheadUs: number
  readonly #clock: Clock
  readonly #hands: Hands
  readonly #taking: TakingAhead
  readonly #renewal: UnitRenewal
  readonly #closed: (units: LimiterUnits) => void
  #decisions = 0

  /** `closed`: from then on nothing is taken. */
  constructor(store: AheadStore, aheadUs: number, closed: (units: LimiterUnits) => void = () => {}) {
    this.#closed = closed
    this.#store = store
    this.#aheadUs = aheadUs
    this.#clock = store.clock ?? realClock
    const times = { aheadUs, clock: this.#clock }
    this.#hands = new Hands(store, times)
    this.#taking = new TakingAhead(store, this.#hands, times)
    this.#renewal = new UnitRenewal(store, this.#hands, times)
  }

  counted(policy: Policy, name: string): Policy {
    return countedAhead(policy, name, this.#aheadUs)
  }

  answer(question: Question): StoreRows | Promise<StoreRows> {
    const nowUs = this.#clock.nowUs()
    const hands = this.#handsOf(question, nowUs)
    if (hands === undefined) return this.#withoutTaking(question)
    const known = this.#fromHands(question, hands, nowUs)
    if (known !== undefined) return known
    const shortfall: Shortfall = { question, hands, waiting: this.#store.begin() }
    const pending = pendingOf(hands)
    return pending === undefined
      ? this.#taking.take(shortfall, nowUs)
      : pending.then(() => this.#afterOthers(shortfall))
  }

  /** undefined: nothing is taken ahead for this question. */
  #handsOf({ checks, take, maxWaitUs, charge, others }: Question, nowUs: number) {
    if (this.#hands.closed || !take || maxWaitUs > 0 || charge !== 'all-or-nothing' || others !== undefined)
      return
    const hands: Hand[] = []
    for (const check of checks) {
      const hand = partsOf(check.policy).stated === undefined ? undefined : this.#hands.of(check)
      if (hand === undefined) return
      hand.asked(check.cost, nowUs, this.#aheadUs)
      hands.push(hand)
    }
    return hands
  }

  /** What this process knows without the store. */
  #fromHands(question: Question, hands: readonly Hand[], nowUs: number): StoreRows | undefined {
    const { checks } = question
    void this.#hands.giveBack(hands, nowUs)
    if (allHave(question, hands, nowUs)) return this.#use(question, hands, nowUs)
    const refusal = refusalOf(question, hands, nowUs)
    // Too few, so that they might be missed: the store is to know of them when it decides.
    if (refusal === undefined)
      void this.#hands.giveBack(hands.filter((hand, i) => hand.units < (checks[i]?.cost ?? 0)))
    return refusal
  }

  /** A look, which says what a check would meet; and what is reserved, or decided in parts. */
  #withoutTaking(question: Question): StoreRows | Promise<StoreRows> {
    const hands = question.checks.map((check) => this.#hands.known(check))
    if (!hands.some((hand) => hand?.isBusy)) return askStore(this.#store, question)
    const looking: Looking = { question, hands, waiting: this.#store.begin() }
    const pending = pendingOf(hands)
    return pending === undefined ? this.#look(looking) : pending.then(() => this.#look(looking))
  }

  #look({ question, hands, waiting }: Looking): StoreRows | Promise<StoreRows> {
    const nowUs = this.#clock.nowUs()
    void this.#hands.giveBack(hands, nowUs)
    const known = question.take ? undefined : rowsInHand(question, hands, nowUs)
    if (known !== undefined) return known
    const counted = (rows: StoreRows | undefined) =>
      withInHand(rows ?? this.#store.answerWithout(question), hands, this.#clock.nowUs())
    const answer = this.#store.ownAnswer(question, waiting)
    return answer instanceof Promise ? answer.then(counted) : counted(answer)
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
  #afterOthers(shortfall: Shortfall): StoreRows | Promise<StoreRows> {
    const { question, hands } = shortfall
    const nowUs = this.#clock.nowUs()
    const known = this.#fromHands(question, hands, nowUs)
    if (known !== undefined) return known
    const isLate = this.#hands.closed || pendingOf(hands) !== undefined
    return isLate ? this.#taking.plainly(shortfall) : this.#taking.take(shortfall, nowUs)
  }

  letGo(checks: readonly Check[]): Promise<void> {
    return this.during(checks, async () => {})
  }

  /** What was taken before an act is not used after it, nor is what was under way when it began. */
  async during<T>(checks: readonly Check[], act: () => Promise<T>): Promise<T> {
    const hands = checks.map((check) => this.#hands.ofActOn(check))
    for (const hand of hands) hand.actBegins()
    try {
      await this.#hands.empty(hands)
      return await act()
    } finally {
      for (const hand of hands) hand.actEnds()
    }
  }

  /** Somebody has given back units of these keys, so that there may be room. */
  corrected(changes: readonly Change[]): void {
    for (const { check } of changes) this.#hands.known(check)?.forgive()
  }

  /** Of one key, so that nothing has ended that the store counts. */
  inHandOf(check: Check): number {
    const hand = this.#hands.known(check)
    const nowUs = this.#clock.nowUs()
    void this.#hands.giveBack([hand], nowUs)
    return hand?.unitsAt(nowUs) ?? 0
  }

  health(): AheadHealth {
    return { inHand: this.#hands.units, decisions: this.#decisions }
  }

  async close(): Promise<void> {
    await this.#hands.close()
    this.#closed(this)
  }
}

/** A question for which nothing is taken ahead, of keys of which some may be in hand. */
interface Looking extends Pick<Shortfall, 'question' | 'waiting'> {
  readonly hands: readonly (Hand | undefined)[]
}

/** The row that is repeated of a key which has just been refused. */
function refusalOf(
  { checks }: Question,
  hands: readonly (Hand | undefined)[],
  nowUs: number,
): StoreRows | undefined {
  const refusal = checks.length === 1 && checks[0]?.cost !== 0 ? hands[0]?.refusal(nowUs) : undefined
  return refusal && [refusal]
}

/** What a look meets that need not ask the store. */
function rowsInHand(
  question: Question,
  hands: readonly (Hand | undefined)[],
  nowUs: number,
): StoreRows | undefined {
  const rows: StoreRow[] = []
  for (const [i, { cost }] of question.checks.entries()) {
    const row = hands[i]?.look(cost, nowUs)
    if (row === undefined) return refusalOf(question, hands, nowUs)
    rows.push(row)
  }
  return rows
}

function allHave({ checks }: Question, hands: readonly Hand[], nowUs: number): boolean {
  for (let i = 0; i < checks.length; i++) {
    if (hands[i]?.has(checks[i]?.cost ?? 0, nowUs) !== true) return false
  }
  return true
}

function pendingOf(hands: readonly (Hand | undefined)[]): Promise<unknown> | undefined {
  return hands.find((hand) => hand?.pending !== undefined)?.pending
}
