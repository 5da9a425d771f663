import type { Change, Check, HeldLease, Question, Renewal, StoreRow, StoreRows, Warning } from '../store.ts'
import { isInFlight } from '../strategies/definition.ts'
import { Deadlines } from '../waiting/deadlines.ts'
import type { Calls } from './calls.ts'
import { isTooWide } from './connection.ts'
import { eachAlone, type Group, groupBySlot, isOneCall, isRefused, place, type StateKeyOf } from './groups.ts'
import type { Asking } from './timed-calls.ts'

/**
 * Decides what does not fit into one call: question by question, one slot after another, and key by key while a slot moves. All or
 * nothing holds over several calls by giving back.
 */
export class BySlot {
  readonly #calls: Calls
  readonly #warned: (warning: Warning) => void
  readonly #keyOf: StateKeyOf
  readonly #deadlines: Deadlines | undefined

  constructor(calls: Calls, warned: (warning: Warning) => void) {
    this.#calls = calls
    this.#warned = warned
    this.#keyOf = (check) => calls.keyOf(check)
    if (calls.deadlineUs > 0) this.#deadlines = new Deadlines('redis', calls.deadlineUs / 1000)
  }

  decide(questions: readonly Question[], asking: Asking): Promise<readonly StoreRows[]> {
    return isOneCall(questions, this.#keyOf)
      ? this.#calls.decide(questions, asking)
      : this.decideInParts(questions, asking)
  }

  /** By several calls, each smaller than one for all would be. */
  async decideInParts(questions: readonly Question[], asking: Asking): Promise<readonly StoreRows[]> {
    const [only] = questions
    if (only !== undefined && questions.length === 1) return [await this.#decideOne(only, asking)]
    const answers: StoreRows[] = []
    try {
      for (const question of questions) answers.push(...(await this.decide([question], asking)))
    } catch (error) {
      for (const [i, { checks }] of questions.entries()) void this.#giveBack(checks, answers[i] ?? [])
      throw error
    }
    return answers
  }

  /** One call for each slot; a failure in one does not stop the others. */
  async adjust(changes: readonly Change[]): Promise<void> {
    const groups = groupBySlot(
      changes.map(({ check }) => check),
      this.#keyOf,
    )
    const parts = groups.map(({ places }) => changes.filter((_, i) => places.includes(i)))
    await Promise.all(parts.map((part) => this.#adjustSlot(part)))
  }

  /** One call for each slot; if one fails, the outcome of all is unknown. */
  async renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    const groups = groupBySlot(
      held.map(({ check }) => check),
      this.#keyOf,
    )
    const outcomes = new Array<Renewal>(held.length)
    const renewGroup = async (group: Group) => {
      place(outcomes, group, await this.#renewSlot(group.places.flatMap((at) => held[at] ?? [])))
    }
    await Promise.all(groups.map(renewGroup))
    return outcomes
  }

  async #renewSlot(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    try {
      return await this.#calls.renew(held)
    } catch (error) {
      if (held.length === 1 || !isTooWide(error)) throw error
      return (await Promise.all(held.map((each) => this.#calls.renew([each])))).flat()
    }
  }

  stop(): void {
    this.#deadlines?.stop()
  }

  async #adjustSlot(changes: readonly Change[]): Promise<void> {
    try {
      await this.#calls.adjust(changes)
    } catch (error) {
      if (changes.length === 1 || !isTooWide(error)) throw error
      await Promise.all(changes.map((change) => this.#calls.adjust([change])))
    }
  }

  async #decideOne(question: Question, asking: Asking): Promise<StoreRows> {
    const { take, charge, others } = question
    const matters = take && others === undefined
    if (matters && charge === 'every-level' && question.checks.some(isInFlight))
      return this.#inFlightLast(question, asking)
    const slots = groupBySlot(question.checks, this.#keyOf)
    const groups = slots.length > 1 ? slots : eachAlone(question.checks, this.#keyOf)
    const asked = { question, groups, asking }
    return matters && charge === 'all-or-nothing' ? this.#inTurn(asked) : this.#atOnce(asked)
  }

  /** Every level charges separately; then, if none has refused, the places in flight are taken, all or none. */
  async #inFlightLast(question: Question, asking: Asking): Promise<StoreRows> {
    const rows: StoreRow[] = new Array(question.checks.length)
    const [last, first] = [partOf(question, isInFlight), partOf(question, (check) => !isInFlight(check))]
    if (first.checks.length > 0)
      place(rows, first, await this.#decidePart({ ...first, others: 'unknown' }, asking))
    const others = isRefused(question.checks, rows) ? 'refused' : undefined
    try {
      place(rows, last, await this.#decidePart({ ...last, charge: 'all-or-nothing', others }, asking))
    } catch (error) {
      void this.#giveBack(question.checks, rows)
      throw error
    }
    return toldAsWhole(question.checks, rows)
  }

  #decidePart(question: Question, asking: Asking): Promise<StoreRows> {
    return isOneCall([question], this.#keyOf)
      ? this.#ask(question, asking)
      : this.#decideOne(question, asking)
  }

  /** Each takes before the next is asked; where one refuses or fails, those before it are given back. */
  async #inTurn(asked: SplitQuestion): Promise<StoreRows> {
    const { question, groups, asking } = asked
    const rows: StoreRow[] = new Array(question.checks.length)
    for (const [nth, group] of groups.entries()) {
      try {
        place(rows, group, await this.#ask({ ...question, checks: group.checks }, asking))
      } catch (error) {
        void this.#giveBack(question.checks, rows)
        throw error
      }
      if (isRefused(question.checks, rows)) return this.#refused(asked, rows, nth)
    }
    return rows
  }

  /**
   * A refused question has taken nothing. The others are asked as such: of those given back only that can tell how they stand, as
   * what has drained meanwhile, or others have taken, is not to be computed from a row.
   */
  async #refused(
    { question, groups, asking }: SplitQuestion,
    rows: StoreRow[],
    refusing: number,
  ): Promise<StoreRows> {
    const givenBack = this.#giveBack(question.checks, rows)
    const askAnother = async (group: Group, nth: number) => {
      if (nth === refusing) return
      if (nth < refusing) await givenBack
      const part: Question = { ...question, checks: group.checks, others: 'refused' }
      place(rows, group, await this.#ask(part, asking))
    }
    await Promise.all(groups.map(askAnother))
    return rows
  }

  /** Each slot charges or takes nothing, independent of the others. */
  async #atOnce({ question, groups, asking }: SplitQuestion): Promise<StoreRows> {
    const { others = 'unknown' } = question
    const rows: StoreRow[] = new Array(question.checks.length)
    const answers = await Promise.allSettled(
      groups.map(async (group) => {
        place(rows, group, await this.#ask({ ...question, checks: group.checks, others }, asking))
      }),
    )
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed !== undefined) {
      void this.#giveBack(question.checks, rows)
      throw failed.reason
    }
    return question.others === undefined ? toldAsWhole(question.checks, rows) : rows
  }

  /** One call, within the deadline: what a later reply shows to have taken is given back. */
  async #ask(part: Question, asking: Asking): Promise<StoreRows> {
    const answer = this.#calls.decide([part], asking, this.#calls.clock.nowUs())
    const late = ([rows = []]: readonly StoreRows[]) => void this.#giveBack(part.checks, rows)
    const [rows] = await (this.#deadlines?.bound(answer, late) ?? answer)
    if (rows === undefined) throw new RangeError('a question wants rows')
    return rows
  }

  /** Never rejects: its caller does not wait for it. */
  async #giveBack(checks: readonly Check[], rows: readonly (StoreRow | undefined)[]): Promise<void> {
    const changes: Change[] = []
    for (const [i, check] of checks.entries()) {
      const receipt = rows[i]?.receipt ?? ''
      if (receipt !== '') changes.push({ check, receipt, byUnits: -check.cost })
    }
    if (changes.length === 0) return
    try {
      const given = this.adjust(changes)
      await (this.#deadlines?.bound(given) ?? given)
    } catch (error) {
      this.#warned({
        code: 'SLUICE_NOT_GIVEN_BACK',
        message: `what a refused or failed request had taken stays taken until it expires: ${String(error)}`,
      })
    }
  }
}

/** A question that several calls decide. */
interface SplitQuestion {
  readonly question: Question
  readonly groups: readonly Group[]
  readonly asking: Asking
}

/** Some of a question's checks, and their places in the question. */
function partOf(question: Question, belongs: (check: Check) => boolean): Question & { places: number[] } {
  const places = question.checks.flatMap((check, i) => (belongs(check) ? [i] : []))
  return { ...question, checks: question.checks.filter(belongs), places }
}

/** The wait after a charge matters only when the whole question is refused. */
function toldAsWhole(checks: readonly Check[], rows: readonly StoreRow[]): StoreRows {
  if (isRefused(checks, rows)) return rows
  return rows.map((row) => (row.allowed && row.retryAfterUs !== 0 ? { ...row, retryAfterUs: 0 } : row))
}
