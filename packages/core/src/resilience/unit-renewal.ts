import type { Clock } from '../clock.ts'
import type { Check, Question, StoreRows } from '../store.ts'
import type { AheadStore } from './ahead-store.ts'
import type { Hand } from './hand.ts'
import type { Hands } from './hands.ts'

/** What a renewal asks for. */
interface TakeOne {
  readonly hand: Hand
  readonly check: Check
  readonly sentUs: number
}

/** Takes the next units of a key before those in hand have ended or are used up, where there is room, while it is asked for. */
export class UnitRenewal {
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

  /** Nobody waits for it but those who come when nothing is left. */
  renew(hand: Hand, nowUs: number): void {
    const units = hand.renewal(nowUs)
    if (units === 0) return
    const check = { ...hand.check, cost: units }
    const question: Question = { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true }
    const take: TakeOne = { hand, check, sentUs: nowUs }
    const answer = this.#store.ownAnswer(question, undefined)
    if (answer instanceof Promise) hand.pending = this.#heard(take, answer)
    else void this.#renewed(take, answer)
  }

  async #heard(take: TakeOne, answer: Promise<StoreRows | undefined>): Promise<void> {
    try {
      await this.#renewed(take, await answer)
    } finally {
      take.hand.pending = undefined
    }
  }

  #renewed({ hand, check, sentUs }: TakeOne, rows: StoreRows | undefined): Promise<void> | undefined {
    const row = rows?.[0]
    if (row === undefined || rows?.source !== undefined)
      hand.restsUntilUs = this.#clock.nowUs() + this.#aheadUs
    else hand.remains(row.remaining)
    if (row === undefined || row.receipt === '') return undefined
    if (rows?.source !== undefined || !row.allowed || this.#hands.closed)
      return this.#hands.adjust([{ check, receipt: row.receipt, byUnits: -check.cost }])
    this.#hands.keep(hand, { row, check, sentUs, units: check.cost })
    return undefined
  }
}
