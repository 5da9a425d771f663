import { Deadlines } from '../resilience/deadlines.ts'
import type { Change, Check, Row, Rows, Warning } from '../store.ts'
import type { Calls } from './calls.ts'
import { isTooWide } from './connection.ts'
import { eachAlone, type Group, groupBySlot, isOneCall, isRefused, type KeyOf, place } from './groups.ts'
import type { Part } from './wire.ts'

/**
 * Decides what does not fit into one call: question by question, one slot after another, and key by key while a slot moves. All or
 * nothing holds over several calls by giving back.
 */
export class BySlot {
  readonly #calls: Calls
  readonly #warned: (warning: Warning) => void
  readonly #keyOf: KeyOf
  readonly #deadlines: Deadlines | undefined

  constructor(calls: Calls, warned: (warning: Warning) => void) {
    this.#calls = calls
    this.#warned = warned
    this.#keyOf = (check) => calls.keyOf(check)
    if (calls.deadlineUs > 0) this.#deadlines = new Deadlines('redis', calls.deadlineUs / 1000)
  }

  decide(questions: readonly Part[], askedUs: number): Promise<readonly Rows[]> {
    return isOneCall(questions, this.#keyOf)
      ? this.#calls.decide(questions, askedUs)
      : this.decideInParts(questions, askedUs)
  }

  /** By several calls, each smaller than one for all would be. */
  async decideInParts(questions: readonly Part[], askedUs: number): Promise<readonly Rows[]> {
    const [only] = questions
    if (only !== undefined && questions.length === 1) return [await this.#decideOne(only, askedUs)]
    const answers: Rows[] = []
    try {
      for (const question of questions) answers.push(...(await this.decide([question], askedUs)))
    } catch (error) {
      for (const [i, { checks }] of questions.entries()) void this.#giveBack(checks, answers[i] ?? [])
      throw error
    }
    return answers
  }

  /** Each slot by itself: what one of them fails to do the others do all the same. */
  async adjust(changes: readonly Change[]): Promise<void> {
    const groups = groupBySlot(
      changes.map(({ check }) => check),
      this.#keyOf,
    )
    const parts = groups.map(({ places }) => changes.filter((_, i) => places.includes(i)))
    await Promise.all(parts.map((part) => this.#adjustSlot(part)))
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

  async #decideOne(question: Part, askedUs: number): Promise<Rows> {
    const slots = groupBySlot(question.checks, this.#keyOf)
    const groups = slots.length > 1 ? slots : eachAlone(question.checks, this.#keyOf)
    const { take, charge, others } = question
    const inTurn = take && charge === 'all-or-nothing' && others !== 'refused'
    const asked = { question, groups, askedUs }
    return inTurn ? this.#inTurn(asked) : this.#atOnce(asked)
  }

  /** Each takes before the next is asked; where one refuses or fails, those before it are given back. */
  async #inTurn(asked: Asked): Promise<Rows> {
    const { question, groups, askedUs } = asked
    const rows: Row[] = new Array(question.checks.length)
    for (const [nth, group] of groups.entries()) {
      try {
        place(rows, group, await this.#ask({ ...question, checks: group.checks }, askedUs))
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
  async #refused({ question, groups, askedUs }: Asked, rows: Row[], refusing: number): Promise<Rows> {
    const givenBack = this.#giveBack(question.checks, rows)
    const askAnother = async (group: Group, nth: number) => {
      if (nth === refusing) return
      if (nth < refusing) await givenBack
      const part: Part = { ...question, checks: group.checks, others: 'refused' }
      place(rows, group, await this.#ask(part, askedUs))
    }
    await Promise.all(groups.map(askAnother))
    return rows
  }

  /** Each charges by itself or takes nothing, whatever the others answer. */
  async #atOnce({ question, groups, askedUs }: Asked): Promise<Rows> {
    const { others = 'unknown' } = question
    const rows: Row[] = new Array(question.checks.length)
    const answers = await Promise.allSettled(
      groups.map(async (group) => {
        place(rows, group, await this.#ask({ ...question, checks: group.checks, others }, askedUs))
      }),
    )
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (failed !== undefined) {
      void this.#giveBack(question.checks, rows)
      throw failed.reason
    }
    // How long those who have charged would wait from now on matters only where the whole is refused.
    if (question.others !== undefined || isRefused(question.checks, rows)) return rows
    return rows.map((row) => (row.allowed && row.retryAfterUs !== 0 ? { ...row, retryAfterUs: 0 } : row))
  }

  /** One call, within the deadline: what a later reply shows to have taken is given back. */
  async #ask(part: Part, askedUs: number): Promise<Rows> {
    const answer = this.#calls.decide([part], askedUs, this.#calls.clock.nowUs())
    const late = ([rows = []]: readonly Rows[]) => void this.#giveBack(part.checks, rows)
    const [rows] = await (this.#deadlines?.bound(answer, late) ?? answer)
    if (rows === undefined) throw new RangeError('a question wants rows')
    return rows
  }

  /** Never rejects: nobody waits for it, or the request has been answered. */
  async #giveBack(checks: readonly Check[], rows: readonly (Row | undefined)[]): Promise<void> {
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
interface Asked {
  readonly question: Part
  readonly groups: readonly Group[]
  readonly askedUs: number
}
