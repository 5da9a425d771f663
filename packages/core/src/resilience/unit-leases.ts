import { askStore } from '../ask-store.ts'
import { type Clock, realClock } from '../clock.ts'
import type { Policy } from '../policy.ts'
import type {
  AheadHealth,
  Change,
  Check,
  Question,
  Store,
  StoreRow,
  StoreRows,
  UnitsAhead,
} from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { leased } from '../strategies/leased.ts'
import { wakeQuietly } from '../waiting/timer.ts'
import { Hand, type Lot, partReceipt, wholeOf } from './hand.ts'

/** Keys of which units may be in hand; of further ones none are taken ahead. */
const mostKeys = 10_000
/** The same where there was no room for as many as were wanted: others ask again just now. */
const partOfRefused = 2

/** A lease is renewed at the earliest when the first half of it has passed, and before anything is known in its last quarter. */
const mostLead = 2
const firstLead = 4

/** By which a long answer counts less with each that follows. */
const leadFades = 0.9

/** Of a lease, so much less is used: this process's clock may run that much slower than the store's. */
const clocksDiffer = 1e-3

/** What a renewal asks for. */
interface TakeOne {
  readonly hand: Hand
  readonly check: Check
  readonly sentUs: number
}

/** A take of units for a question, and of more for those that follow. */
interface TakeAhead {
  readonly question: Question
  readonly hands: readonly Hand[]
  /** Units beyond those of the question. */
  readonly more: readonly number[]
  readonly sentUs: number
  /** There was no room for as many before. */
  readonly again: boolean
}

/**
 * Units that this process has taken ahead. Each counts from when it was taken, and may be used for one lease's time after the take
 * was sent; the policies are counted by numbers which hold for any instant in it. What is not used by then is given back. A process
 * that dies, hangs or misses a reply leaves units unused, never used twice. Where there is room, those of the next lease are taken
 * before this one has ended, while a key is asked for.
 */
export class UnitLeases implements UnitsAhead {
  readonly #store: Store
  readonly #leaseUs: number
  /** By this process's clock. */
  readonly #usedForUs: number
  readonly #clock: Clock
  readonly #hands = new Map<string, Map<string, Hand>>()
  #count = 0
  /** Those with units. */
  readonly #full = new Set<Hand>()
  /** How long before its end a lease is renewed: twice what an answer took lately. */
  #leadUs: number
  #decisions = 0
  #stopTimer: (() => void) | undefined
  #closed = false

  constructor(store: Store, leaseUs: number) {
    this.#store = store
    this.#leaseUs = leaseUs
    this.#usedForUs = Math.floor(leaseUs * (1 - clocksDiffer))
    this.#leadUs = leaseUs / firstLead
    this.#clock = store.clock ?? realClock
  }

  counted(policy: Policy, name: string): Policy {
    return leased(policy, name, this.#leaseUs)
  }

  answer(question: Question): StoreRows | Promise<StoreRows> {
    return this.#answer(question, false)
  }

  #answer(question: Question, hasWaited: boolean): StoreRows | Promise<StoreRows> {
    const nowUs = this.#clock.nowUs()
    const hands = this.#handsOf(question, nowUs, hasWaited)
    if (hands === undefined) return askStore(this.#store, question)
    if (this.#allHave(question, hands, nowUs)) return this.#use(question, hands, nowUs)
    void this.#giveBack(hands, nowUs)
    const refusal = question.checks.length === 1 ? hands[0]?.refusal(nowUs) : undefined
    if (refusal !== undefined && question.checks[0]?.cost !== 0) return [refusal]
    const pending = hands.find((hand) => hand.pending !== undefined)?.pending
    if (pending === undefined) return this.#takeAhead(question, hands, nowUs)
    return hasWaited ? this.#plainly(question, hands) : pending.then(() => this.#answer(question, true))
  }

  /** undefined: nothing is taken ahead for this question. */
  #handsOf({ checks, take, maxWaitUs, charge, others }: Question, nowUs: number, again: boolean) {
    if (this.#closed || !take || maxWaitUs > 0 || charge !== 'all-or-nothing' || others !== undefined) return
    const hands: Hand[] = []
    for (const check of checks) {
      const hand = partsOf(check.policy).stated === undefined ? undefined : this.#handOf(check)
      if (hand === undefined) return
      if (!again) hand.asked(check.cost, nowUs, this.#leaseUs)
      hands.push(hand)
    }
    return hands
  }

  #handOf(check: Check): Hand | undefined {
    let ofId = this.#hands.get(check.id)
    if (ofId === undefined) {
      ofId = new Map()
      this.#hands.set(check.id, ofId)
    }
    const known = ofId.get(check.key)
    if (known !== undefined) return known
    if (this.#count >= mostKeys && !this.#makeRoom()) return undefined
    const hand = new Hand(check)
    ofId.set(check.key, hand)
    this.#count++
    return hand
  }

  /** In the place of the oldest key of which nothing is in hand. */
  #makeRoom(): boolean {
    for (const ofId of this.#hands.values()) {
      for (const [key, hand] of ofId) {
        if (hand.units > 0 || hand.pending !== undefined) break
        ofId.delete(key)
        this.#count--
        return true
      }
    }
    return false
  }

  #allHave({ checks }: Question, hands: readonly Hand[], nowUs: number): boolean {
    for (let i = 0; i < checks.length; i++) {
      if (hands[i]?.has(checks[i]?.cost ?? 0, nowUs) !== true) return false
    }
    return true
  }

  #use({ checks }: Question, hands: readonly Hand[], nowUs: number): StoreRows {
    this.#decisions++
    const rows: StoreRow[] = []
    for (let i = 0; i < checks.length; i++) {
      const hand = hands[i]
      const row = hand?.use(checks[i]?.cost ?? 0, nowUs)
      if (hand === undefined || row === undefined) continue
      rows.push(row)
      if (hand.isLow(nowUs)) this.#refill(hand, nowUs)
      if (hand.units === 0) this.#full.delete(hand)
    }
    return rows
  }

  #refill(hand: Hand, nowUs: number): void {
    void this.#giveBack([hand], nowUs)
    const units = hand.renewal(nowUs)
    if (units > 0) this.#renew({ hand, check: { ...hand.check, cost: units }, sentUs: nowUs })
  }

  /** Nobody waits for it but those who come when nothing is left. */
  #renew(take: TakeOne): void {
    const { hand, check } = take
    const question: Question = { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true }
    const answer = askStore(this.#store, question)
    if (!(answer instanceof Promise)) {
      void this.#renewed(take, answer)
      return
    }
    const over = () => {
      hand.pending = undefined
    }
    hand.pending = answer.then((rows) => this.#renewed(take, rows)).then(over, over)
  }

  #renewed({ hand, check, sentUs }: TakeOne, rows: StoreRows): Promise<void> | undefined {
    this.#learn([hand], rows)
    const [row] = rows
    const counted = rows.source === undefined
    if (!counted) hand.restsUntilUs = this.#clock.nowUs() + this.#leaseUs
    if (row === undefined || row.receipt === '') return undefined
    if (!counted || !row.allowed || this.#closed)
      return this.#adjust([{ check, receipt: row.receipt, byUnits: -check.cost }])
    this.#keep(hand, { row, check, sentUs, units: check.cost })
    return undefined
  }

  /** In hand from now on. */
  #keep(hand: Hand, taken: { row: StoreRow; check: Check; sentUs: number; units: number }): void {
    const { row, check, sentUs, units } = taken
    const nowUs = this.#clock.nowUs()
    this.#leadUs = Math.min(
      this.#leaseUs / mostLead,
      Math.max(2 * (nowUs - sentUs), this.#leadUs * leadFades),
    )
    const { definition, numbers } = partsOf(check.policy)
    const leftUs = definition.ahead?.leftUs?.(numbers, row.resetAfterUs) ?? this.#leaseUs
    const endsUs = sentUs + Math.min(this.#usedForUs, Math.floor(leftUs * (1 - clocksDiffer)))
    const lateUs = endsUs - this.#leadUs
    const lowUnits = Math.ceil((hand.lately * this.#leadUs) / this.#leaseUs)
    const noRoom = hand.add({ units, endsUs, lateUs, lowUnits, row, takenUs: nowUs, check })
    if (noRoom !== undefined) void this.#adjust([unusedOf(noRoom)])
    this.#full.add(hand)
    this.#arm()
  }

  #takeAhead(question: Question, hands: readonly Hand[], nowUs: number): StoreRows | Promise<StoreRows> {
    const more = hands.map((hand) => hand.wanted(nowUs))
    if (more.some((units) => units < 1)) return this.#plainly(question, hands)
    const answer = this.#askFor({ question, hands, more, sentUs: nowUs, again: false })
    if (!(answer instanceof Promise)) return answer
    const over = () => {
      for (const hand of hands) hand.pending = undefined
    }
    const settled = answer.then(over, over)
    for (const hand of hands) hand.pending = settled
    return answer
  }

  #askFor(take: TakeAhead): StoreRows | Promise<StoreRows> {
    const { question, more } = take
    const checks = question.checks.map((check, i) => ({ ...check, cost: check.cost + (more[i] ?? 0) }))
    const answer = askStore(this.#store, { ...question, checks })
    return answer instanceof Promise
      ? answer.then((rows) => this.#taken(take, rows))
      : this.#taken(take, answer)
  }

  /** As a limiter without leases asks. */
  #plainly(question: Question, hands: readonly Hand[]): StoreRows | Promise<StoreRows> {
    const answer = askStore(this.#store, question)
    return answer instanceof Promise
      ? answer.then((rows) => this.#heard(question, hands, rows))
      : this.#heard(question, hands, answer)
  }

  #heard({ checks }: Question, hands: readonly Hand[], rows: StoreRows): StoreRows {
    this.#learn(hands, rows)
    const [row] = rows
    if (
      rows.source === undefined &&
      checks.length === 1 &&
      checks[0]?.cost === 1 &&
      row?.reason === 'limited'
    )
      hands[0]?.refused(row, this.#clock.nowUs(), this.#leaseUs)
    return rows
  }

  #learn(hands: readonly Hand[], rows: StoreRows): StoreRows {
    for (let i = 0; i < hands.length; i++) {
      const row = rows[i]
      if (rows.source === undefined && row !== undefined) hands[i]?.remains(row.remaining)
    }
    return rows
  }

  #taken(take: TakeAhead, rows: StoreRows): StoreRows | Promise<StoreRows> {
    const { question, hands, more, sentUs } = take
    this.#learn(hands, rows)
    if (rows.source !== undefined || rows.some(({ allowed }) => !allowed)) {
      return this.#withoutMore(take, rows)
    }
    const counted = rows.map((row, i) => {
      const [hand, check, units = 0] = [hands[i], question.checks[i], more[i]]
      if (hand === undefined || check === undefined) return row
      void this.#giveBack([hand])
      this.#keep(hand, { row, check: { ...check, cost: check.cost + units }, sentUs, units })
      return { ...row, remaining: row.remaining + units, receipt: partReceipt(check.cost, row.receipt) }
    })
    if (this.#closed) void this.#giveBack(hands)
    return counted
  }

  /** There was no room for all of it, or the store was away: what was taken is given back, and less is asked for. */
  #withoutMore(take: TakeAhead, rows: StoreRows): StoreRows | Promise<StoreRows> {
    const { question, hands, more, again } = take
    const counted = rows.source === undefined
    const refused = rows.some(({ allowed }, i) => !allowed && question.checks[i]?.shadow !== true)
    const changes: Change[] = []
    for (const [i, { receipt }] of rows.entries()) {
      const [check, units = 0] = [question.checks[i], more[i]]
      if (check === undefined || receipt === '') continue
      const taken = { ...check, cost: check.cost + units }
      changes.push({ check: taken, receipt, byUnits: refused || counted ? -taken.cost : -units })
    }
    void this.#adjust(changes)
    const nowUs = this.#clock.nowUs()
    if (!counted) for (const hand of hands) hand.restsUntilUs = nowUs + this.#leaseUs
    if (!counted && !refused) {
      const kept: StoreRow[] = rows.map((row, i) => {
        const receipt = row.receipt === '' ? '' : partReceipt(question.checks[i]?.cost ?? 0, row.receipt)
        return { ...row, remaining: row.remaining + (more[i] ?? 0), receipt }
      })
      return Object.assign(kept, { source: rows.source })
    }
    const less = more.map((units, i) => {
      const rest = (rows[i]?.remaining ?? 0) - (question.checks[i]?.cost ?? 0)
      return Math.min(units, Math.floor(rest / partOfRefused))
    })
    if (again || !counted || less.some((units) => units < 1)) return this.#plainly(question, hands)
    return this.#askFor({ ...take, more: less, sentUs: nowUs, again: true })
  }

  async letGo(checks: readonly Check[]): Promise<void> {
    const hands = checks.flatMap(({ id, key }) => this.#hands.get(id)?.get(key) ?? [])
    for (const hand of hands) hand.forgive()
    await Promise.all(hands.map(({ pending }) => pending))
    await this.#giveBack(hands)
  }

  corrections<C extends Change>(changes: readonly C[]): readonly C[] {
    for (const { check } of changes) this.#hands.get(check.id)?.get(check.key)?.forgive()
    return changes.map(wholeOf)
  }

  health(): AheadHealth {
    let inHand = 0
    for (const { units } of this.#full) inHand += units
    return { inHand, decisions: this.#decisions }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopTimer?.()
    await this.#giveBack([...this.#full])
    // What is still under way is given back when it comes.
    await Promise.all(this.#all((hand) => hand.pending))
  }

  #arm(): void {
    this.#stopTimer ??= wakeQuietly(this.#clock, this.#leaseUs / 1000, () => this.#ring())
  }

  #ring(): void {
    this.#stopTimer = undefined
    const nowUs = this.#clock.nowUs()
    void this.#giveBack([...this.#full], nowUs)
    if (this.#full.size > 0 && !this.#closed) this.#arm()
  }

  /** What may no longer be used at that time. @default all */
  #giveBack(hands: readonly Hand[], nowUs = Number.POSITIVE_INFINITY): Promise<void> | undefined {
    const changes: Change[] = []
    for (const hand of hands) {
      for (let lot = hand.ended(nowUs); lot !== undefined; lot = hand.ended(nowUs)) {
        if (lot.units > 0) changes.push(unusedOf(lot))
      }
      if (hand.units === 0) this.#full.delete(hand)
    }
    return changes.length === 0 ? undefined : this.#adjust(changes)
  }

  #all<T>(of: (hand: Hand) => T): readonly T[] {
    return [...this.#hands.values()].flatMap((ofId) => [...ofId.values()].map(of))
  }

  /** Never rejects: what cannot be given back leaves with its window. */
  async #adjust(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return
    try {
      await this.#store.adjust(changes)
    } catch {
      // The store has counted and reported its failure.
    }
  }
}

function unusedOf({ check, row, units }: Lot): Change {
  return { check, receipt: row.receipt, byUnits: -units }
}
