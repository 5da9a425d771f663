import { givingBack } from '../all-or-nothing.ts'
import type { Clock } from '../clock.ts'
import type { Check, Question, StoreRows } from '../store.ts'
import type { Waiting } from '../waiting/deadlines.ts'
import type { AheadStore } from './ahead-store.ts'
import type { Hand } from './hand.ts'
import type { Hands } from './hands.ts'
import { withInHand } from './in-hand.ts'
import { partReceipt } from './part-receipts.ts'

/** Of what is left at most this part is asked for where there was no room for more: others ask again just now. */
const partOfRefused = 2

/** A question for which not enough is in hand. */
export interface Shortfall {
  readonly question: Question
  readonly hands: readonly Hand[]
  /** Its request waits no longer than that, however often the store is asked for it. */
  readonly waiting: Waiting | undefined
}

/** A take of units for a question, and of more for those that follow. */
interface TakeAhead {
  readonly shortfall: Shortfall
  /** Units beyond those of the question. */
  readonly more: readonly number[]
  readonly sentUs: number
  /** There was no room for as many before. */
  readonly again: boolean
}

/** Asks the store for the units of a question, and for more, which are in hand for those that follow. */
export class TakingAhead {
  readonly #store: AheadStore
  readonly #hands: Hands
  readonly #aheadUs: number
  readonly #clock: Clock

  constructor(store: AheadStore, hands: Hands, { aheadUs, clock }: { aheadUs: number; clock: Clock }) {
    this.#store = store
    this.#hands = hands
    this.#aheadUs = aheadUs
    this.#clock = clock
  }

  /** Where units for more than the question are wanted; else as `plainly`. */
  take(shortfall: Shortfall, nowUs: number): StoreRows | Promise<StoreRows> {
    const { hands } = shortfall
    const more = hands.map((hand) => hand.wanted(nowUs))
    if (more.some((units) => units < 1)) return this.plainly(shortfall)
    const answer = this.#askFor({ shortfall, more, sentUs: nowUs, again: false })
    if (!(answer instanceof Promise)) return answer
    const over = () => {
      for (const hand of hands) hand.pending = undefined
    }
    const settled = answer.then(over, over)
    for (const hand of hands) hand.pending = settled
    return answer
  }

  #askFor(take: TakeAhead): StoreRows | Promise<StoreRows> {
    const { question, waiting } = take.shortfall
    const answer = this.#store.ownAnswer({ ...question, checks: checksOf(take) }, waiting)
    return answer instanceof Promise
      ? answer.then((rows) => this.#taken(take, rows))
      : this.#taken(take, answer)
  }

  #taken(take: TakeAhead, rows: StoreRows | undefined): StoreRows | Promise<StoreRows> {
    const { shortfall, more, sentUs } = take
    const { hands } = shortfall
    if (rows === undefined) {
      this.#rest(hands)
      return this.#store.answerWithout(shortfall.question)
    }
    learn(hands, rows)
    if (rows.source !== undefined || rows.some(({ allowed }) => !allowed))
      return this.#withoutMore(take, rows)
    const checks = checksOf(take)
    const nowUs = this.#clock.nowUs()
    const counted = rows.map((taken, i) => {
      const [hand, check, units = 0] = [hands[i], checks[i], more[i]]
      if (hand === undefined || check === undefined) return taken
      // What was in hand before goes back.
      const row = { ...taken, remaining: taken.remaining + hand.unitsAt(nowUs) }
      void this.#hands.giveBack([hand])
      this.#hands.keep(hand, { row, check, sentUs, units })
      const receipt = partReceipt(check.cost - units, row.receipt)
      return { ...row, remaining: row.remaining + units, receipt }
    })
    if (this.#hands.closed) void this.#hands.giveBack(hands)
    return counted
  }

  /** There was no room for all of it: what was taken is given back, and less is asked for. */
  #withoutMore(take: TakeAhead, rows: StoreRows): StoreRows | Promise<StoreRows> {
    const { shortfall, more, again } = take
    void this.#hands.adjust(givingBack(checksOf(take), rows))
    // What was counted here in an outage is held against it.
    const objected = rows.source !== undefined
    if (objected) this.#rest(shortfall.hands)
    const less = more.map((units, i) => {
      const rest = (rows[i]?.remaining ?? 0) - (shortfall.question.checks[i]?.cost ?? 0)
      return Math.min(units, Math.floor(rest / partOfRefused))
    })
    if (again || objected || less.some((units) => units < 1)) return this.plainly(shortfall)
    return this.#askFor({ shortfall, more: less, sentUs: this.#clock.nowUs(), again: true })
  }

  /** None are taken ahead for a while. */
  #rest(hands: readonly Hand[]): void {
    const untilUs = this.#clock.nowUs() + this.#aheadUs
    for (const hand of hands) hand.restsUntilUs = untilUs
  }

  /** As a limiter asks that takes nothing ahead. */
  plainly(shortfall: Shortfall): StoreRows | Promise<StoreRows> {
    const acted = shortfall.hands[0]?.acted
    const answer = this.#store.ownAnswer(shortfall.question, shortfall.waiting)
    return answer instanceof Promise
      ? answer.then((rows) => this.#heard(shortfall, rows, acted))
      : this.#heard(shortfall, answer, acted)
  }

  /** `acted`: acts on the first key when it was asked for. */
  #heard(shortfall: Shortfall, rows: StoreRows | undefined, acted: number | undefined): StoreRows {
    const { question, hands } = shortfall
    if (rows === undefined) return this.#store.answerWithout(question)
    learn(hands, rows)
    const nowUs = this.#clock.nowUs()
    const [row] = rows
    const [hand] = hands
    const isOne = question.checks.length === 1 && question.checks[0]?.cost === 1
    if (rows.source === undefined && isOne && row?.reason === 'limited' && hand?.acted === acted)
      hand?.refused(row, nowUs, this.#aheadUs)
    return withInHand(rows, hands, nowUs)
  }
}

/** With the units that are taken ahead. */
function checksOf({ shortfall, more }: TakeAhead): readonly Check[] {
  return shortfall.question.checks.map((check, i) => ({ ...check, cost: check.cost + (more[i] ?? 0) }))
}

/** How much the store itself says to be left. */
function learn(hands: readonly Hand[], rows: StoreRows): void {
  if (rows.source !== undefined) return
  for (let i = 0; i < hands.length; i++) {
    const row = rows[i]
    if (row !== undefined) hands[i]?.remains(row.remaining)
  }
}
