import { isSpared, refuses } from '../all-or-nothing.ts'
import { makeRow, rowOfDraft } from '../row.ts'
import type { Marked } from '../runtime.ts'
import type { Check, Question, StoreRow, StoreRows } from '../store.ts'
import type { StrategyDraft, TakeCall } from '../strategies/definition.ts'
import { partsOf, receiptOf, withEra } from '../strategies/policy-parts.ts'
import { stepsIn, withSteps } from '../up-to.ts'
import { blockedFor } from './block-for.ts'
import {
  afterwards,
  blockedLook,
  type Look,
  lookAgain,
  lookAt,
  lookFor,
  onceMore,
  roomOf,
  withinMaxWait,
} from './look.ts'
import type { States } from './states.ts'

type Asks = Omit<Question, 'checks'>

/** How most callers ask. */
const takesOne: Asks = { charge: 'all-or-nothing', maxWaitUs: 0, take: true }

/** Looks at every check of a question, then takes: decide.lua in TypeScript. */
export class TwoPhases {
  readonly #states: States
  readonly #call = { nowUs: 0, id: '', note: '' }
  readonly #mark: Marked
  #calls = 0

  constructor(states: States, mark: Marked) {
    this.#states = states
    this.#mark = mark
  }

  // Fast path: one check. Several are split out so that V8 can inline this.
  answer(question: Question, nowUs: number): StoreRows {
    this.#call.nowUs = nowUs
    if (question.upTo !== undefined) return this.#answerUpTo(question, question.upTo, nowUs)
    const only = question.checks[0]
    if (question.checks.length !== 1 || only === undefined) return this.#answerAll(question, nowUs)
    const look = this.#look(only, nowUs)
    const bounded = question.maxWaitUs > 0 ? withinMaxWait(look, question.maxWaitUs) : look
    return [this.#take(question, bounded, question.others !== undefined)]
  }

  /** Looks at every check, then takes: the two phases of decide.lua. */
  #answerAll(question: Question, nowUs: number): StoreRows {
    const looks: Look[] = []
    let refused = question.others !== undefined
    for (const check of question.checks) {
      const look = withinMaxWait(this.#look(check, nowUs), question.maxWaitUs)
      if (refuses(check, look.draft)) refused = true
      looks.push(look)
    }
    const rows: StoreRow[] = []
    for (const look of looks) {
      lookAgain(look)
      rows.push(this.#take(question, look, refused))
    }
    return rows
  }

  /** Looks at every check to find how many of the steps fit, then looks again at their cost, and takes. */
  #answerUpTo(question: Question, steps: number, nowUs: number): StoreRows {
    const looks: Look[] = []
    let most = steps
    for (const check of question.checks) {
      const look = this.#look(check, nowUs)
      if (refuses(check, look.draft)) most = Math.min(most, stepsIn(roomOf(look), check, steps))
      looks.push(look)
    }
    const rows: StoreRow[] = []
    for (const look of looks) {
      const fitting = lookFor(look, withSteps(look.check, most, steps))
      const row = this.#take(question, fitting, most === 0)
      const { cost } = fitting.check
      rows.push(row.allowed && most > 0 && cost > 0 ? { ...row, taken: cost } : row)
    }
    return rows
  }

  /** Answers a question of one check that takes all of its cost or nothing, without a wait. */
  take(check: Check, nowUs: number): StoreRow {
    this.#call.nowUs = nowUs
    return this.#take(takesOne, this.#look(check, nowUs), false)
  }

  #look(check: Check, nowUs: number): Look {
    const table = this.#states.tableOf(check)
    const slot = table.find(check.key)
    const block = table.blocks.of(check.key, nowUs)
    const { numbers } = partsOf(check.policy)
    if (block !== undefined) return blockedLook({ check, numbers, table, slot, nowUs }, block)
    const state = table.stateAt(slot, numbers, nowUs)
    const draft: StrategyDraft = table.definition.look(numbers, state, nowUs, check.cost, check.note)
    return { check, numbers, table, slot, nowUs, state, draft, blocked: undefined }
  }

  /** Second phase for one check: writes what its look drafted, if it may, and answers the row. */
  #take(question: Asks, look: Look, refused: boolean): StoreRow {
    const { check, table, draft } = look
    const { definition } = table
    const takes = question.take && draft.allowed && check.cost > 0
    if (!takes || (refused && isSpared(question, definition.inFlight === true)))
      return this.#leave(question, look)
    const call = definition.wants === undefined ? this.#call : this.#markedCall(check)
    const taken: unknown = definition.take(look.state, draft, call)
    const receipt = receiptOf(definition, taken, draft)
    const marked = withEra(partsOf(check.policy), table.eraOf(check.key), receipt)
    const row = makeRow(draft, null, marked)
    this.#states.save(look, taken, row.remaining)
    if (question.maxWaitUs > 0 && draft.waitUs !== undefined) return afterwards(row, look, taken)
    return refused ? onceMore(row, look, taken) : row
  }

  /** Takes nothing. Still, a key that is asked for the first time may store a state, and a refusal may block the key or be remembered. */
  #leave(question: Asks, look: Look): StoreRow {
    const row = this.#standing(question, look)
    const { check, table, blocked } = look
    if (!question.take || check.cost === 0) return row
    if (blocked === undefined && table.definition.begin !== undefined) this.#begin(look)
    if (row.reason === 'limited') this.#refuse(look)
    const { blocking } = partsOf(check.policy)
    return row.allowed || blocking === undefined ? row : blockedFor(this.#states, look, { row, blocking })
  }

  #standing(question: Asks, look: Look): StoreRow {
    const { check, state, draft, blocked } = look
    if (blocked !== undefined) return blocked
    if (!draft.allowed || check.cost === 0) return rowOfDraft(draft)
    const left = lookAt(look, state, 0)
    const { waitUs } = draft
    return makeRow(waitUs === undefined || question.take ? left : { ...left, waitUs }, null, '')
  }

  /** Stores the first state of a strategy that must write at a key's first refusal: otherwise the key would stay unknown for ever. */
  #begin(look: Look): void {
    const { numbers, table, state, nowUs } = look
    const { definition } = table
    if (state !== undefined && definition.idleUs(numbers, state, nowUs) > 0) return
    const begun: unknown = definition.begin?.(numbers, nowUs)
    if (begun !== undefined) this.#states.save(look, begun)
  }

  #refuse(look: Look): void {
    const left: unknown = look.table.definition.refuse?.(look)
    if (left !== undefined) this.#states.save(look, left)
  }

  #markedCall(check: Check): TakeCall {
    this.#call.id = this.#mark.text + (this.#calls++).toString(36)
    this.#call.note = check.note ?? ''
    return this.#call
  }
}
