import { givingBack } from '../all-or-nothing.ts'
import { isLater } from '../answers.ts'
import type { Check, Question, StoreRows } from '../store.ts'
import type { Waiting } from '../waiting/deadlines.ts'
import type { HotKey } from './hot-key.ts'
import type { HotKeys } from './hot-keys.ts'
import { ownAnswer, type Source } from './own-answer.ts'
import { partReceipt, withInHand } from './rows.ts'

/** Where there was no room for more, at most this part of what is left is asked for, as others ask again at the same time. */
const partOfRefused = 2

/** A question for which not enough is in hand. */
export interface Shortfall {
  readonly question: Question
  readonly keys: readonly HotKey[]
  /** The wait of its request: it waits no longer, however often the store is asked for it. */
  readonly request: Waiting
}

/** A take of units for a question, and of more for those that follow. */
interface TakeMore {
  readonly shortfall: Shortfall
  /** Units beyond those of the question. */
  readonly more: readonly number[]
  readonly sentUs: number
  /** Whether there was no room for more units before. */
  readonly again: boolean
}

interface TakeNext {
  readonly key: HotKey
  readonly check: Check
  readonly sentUs: number
}

/** Takes units from the store: those of a question, and more, which are in hand for questions that follow. */
export class Taking {
  readonly #source: Source
  readonly #keys: HotKeys

  constructor(source: Source, keys: HotKeys) {
    this.#source = source
    this.#keys = keys
  }

  /** Takes more than the question asks for where more is wanted of each key; else asks `plainly`. */
  take(shortfall: Shortfall, nowUs: number): StoreRows | Promise<StoreRows> {
    const { keys } = shortfall
    const more = keys.map((key) => key.wanted(nowUs))
    if (more.some((units) => units < 1)) return this.plainly(shortfall)
    const answer = this.#askFor({ shortfall, more, sentUs: nowUs, again: false })
    if (isLater(answer)) for (const key of keys) key.expects(answer)
    return answer
  }

  #askFor(take: TakeMore): StoreRows | Promise<StoreRows> {
    const { question, request } = take.shortfall
    const answer = ownAnswer(this.#source, { ...question, checks: checksOf(take) }, request)
    return isLater(answer) ? answer.then((rows) => this.#taken(take, rows)) : this.#taken(take, answer)
  }

  #taken(take: TakeMore, rows: StoreRows | undefined): StoreRows | Promise<StoreRows> {
    const { shortfall, more, sentUs } = take
    const { question, keys } = shortfall
    if (rows === undefined) {
      this.#rest(keys)
      return this.#source.answerWithout(question)
    }
    learn(keys, rows)
    if (rows.source !== undefined || rows.some(({ allowed }) => !allowed)) return this.#tooMany(take, rows)
    const checks = checksOf(take)
    const nowUs = this.#keys.clock.nowUs()
    const counted = rows.map((taken, i) => {
      const [key, check, units = 0] = [keys[i], checks[i], more[i]]
      if (key === undefined || check === undefined) return taken
      // Units that were in hand before go back.
      const row = { ...taken, remaining: taken.remaining + key.unitsAt(nowUs) }
      void this.#keys.giveBack([key])
      this.#keys.keep(key, { row, check, sentUs, units })
      const receipt = partReceipt(check.cost - units, row.receipt)
      return { ...row, remaining: row.remaining + units, receipt }
    })
    if (this.#keys.closed) void this.#keys.giveBack(keys)
    return counted
  }

  /** There was no room for all units: those that were taken go back, and fewer are asked for. */
  #tooMany(take: TakeMore, rows: StoreRows): StoreRows | Promise<StoreRows> {
    const { shortfall, more, again } = take
    void this.#keys.adjust(givingBack(checksOf(take), rows))
    // This process objects to the answer, by what it has counted in an outage.
    const objected = rows.source !== undefined
    if (objected) this.#rest(shortfall.keys)
    const less = more.map((units, i) => {
      const rest = (rows[i]?.remaining ?? 0) - (shortfall.question.checks[i]?.cost ?? 0)
      return Math.min(units, Math.floor(rest / partOfRefused))
    })
    if (again || objected || less.some((units) => units < 1)) return this.plainly(shortfall)
    return this.#askFor({ shortfall, more: less, sentUs: this.#keys.clock.nowUs(), again: true })
  }

  /** No units of these keys are taken ahead for a while. */
  #rest(keys: readonly HotKey[]): void {
    const untilUs = this.#keys.clock.nowUs() + this.#keys.aheadUs
    for (const key of keys) key.restsUntilUs = untilUs
  }

  /** Asks as a limiter does that takes nothing ahead. */
  plainly(shortfall: Shortfall): StoreRows | Promise<StoreRows> {
    const acted = shortfall.keys[0]?.acted
    const answer = ownAnswer(this.#source, shortfall.question, shortfall.request)
    return isLater(answer)
      ? answer.then((rows) => this.#heard(shortfall, rows, acted))
      : this.#heard(shortfall, answer, acted)
  }

  /** `acted`: how many acts on the first key had begun when the question was asked. */
  #heard({ question, keys }: Shortfall, rows: StoreRows | undefined, acted: number | undefined): StoreRows {
    if (rows === undefined) return this.#source.answerWithout(question)
    learn(keys, rows)
    const nowUs = this.#keys.clock.nowUs()
    const [row] = rows
    const [key] = keys
    const isOne = question.checks.length === 1 && question.checks[0]?.cost === 1
    if (rows.source === undefined && isOne && row?.reason === 'limited' && key?.acted === acted)
      key?.refused(row, nowUs, this.#keys.aheadUs)
    return withInHand(rows, keys, nowUs)
  }

  /** Takes the next units of a key where there is room, as `asked` counts. Only questions that come when no units are left wait for it. */
  renew(key: HotKey, asked: Check, nowUs: number): void {
    const units = key.wantedNext(nowUs)
    if (units === 0) return
    const check = { ...asked, cost: units }
    const question: Question = { checks: [check], charge: 'all-or-nothing', maxWaitUs: 0, take: true }
    const take: TakeNext = { key, check, sentUs: nowUs }
    const answer = ownAnswer(this.#source, question, undefined)
    if (isLater(answer)) key.expects(answer.then((rows) => this.#renewed(take, rows)))
    else void this.#renewed(take, answer)
  }

  #renewed({ key, check, sentUs }: TakeNext, rows: StoreRows | undefined): Promise<void> | undefined {
    const row = rows?.[0]
    if (row === undefined || rows?.source !== undefined) this.#rest([key])
    else key.remains(row.remaining)
    if (row === undefined || row.receipt === '') return undefined
    if (rows?.source !== undefined || !row.allowed || this.#keys.closed)
      return this.#keys.adjust(givingBack([check], [row]))
    this.#keys.keep(key, { row, check, sentUs, units: check.cost })
    return undefined
  }
}

/** The checks of the question with the units that are taken ahead. */
function checksOf({ shortfall, more }: TakeMore): readonly Check[] {
  return shortfall.question.checks.map((check, i) => ({ ...check, cost: check.cost + (more[i] ?? 0) }))
}

/** Notes how much the store itself says is left. */
function learn(keys: readonly HotKey[], rows: StoreRows): void {
  if (rows.source !== undefined) return
  for (let i = 0; i < keys.length; i++) {
    const row = rows[i]
    if (row !== undefined) keys[i]?.remains(row.remaining)
  }
}
