import { type Clock, monotonicClock } from '../clock.ts'
import { optionError } from '../errors.ts'
import { checkNames, wholeNumber } from '../options.ts'
import { makeRow } from '../row.ts'
import type {
  Change,
  Check,
  Command,
  Health,
  Question,
  Reason,
  Row,
  Rows,
  Store,
  StoreListener,
} from '../store.ts'
import { type Draft, partsOf } from '../strategies/definition.ts'
import { applyChange } from './adjust.ts'
import { Keys } from './keys.ts'
import { manageKey } from './manage.ts'
import type { KeyTable } from './table.ts'

export interface MemoryStoreOptions {
  /** Keys kept at most; beyond it idle keys go, exhausted keys stay. @default 100_000 */
  maxKeys?: number | undefined
  /** @default monotonic */
  clock?: Clock | undefined
}

/** Counts in this process. Decides at once: `decide` answers rows, not a promise. */
export class MemoryStore implements Store {
  readonly name = 'memory'
  readonly #clock: Clock
  readonly #keys: Keys
  readonly #listeners = new Set<StoreListener>()
  readonly #warnings: string[] = []
  readonly #startedUs: number
  readonly #call = { nowUs: 0, id: '', note: '' }
  #calls = 0
  #refused = false

  constructor(maxKeys: number, clock: Clock) {
    this.#clock = clock
    this.#keys = new Keys(maxKeys, () => this.#warnFull())
    this.#startedUs = clock.nowUs()
  }

  decide(questions: readonly Question[]): readonly Rows[] {
    const nowUs = this.#clock.nowUs()
    const answers: Rows[] = []
    for (const question of questions) {
      const rows: Row[] = new Array(question.checks.length)
      this.#refused = false
      this.#visit(question, { rows, nowUs }, 0)
      answers.push(rows)
    }
    return answers
  }

  /** Looks on the way down, takes on the way back: the drafts wait on the stack. As decide.lua does. */
  #visit(question: Question, answer: { rows: Row[]; nowUs: number }, at: number): void {
    const check = question.checks[at]
    if (check === undefined) return
    const { nowUs } = answer
    const table = this.#keys.tableOf(check)
    const { definition, numbers } = partsOf(check.policy)
    const slot = table.find(check.key)
    const block = table.blocks.size === 0 ? undefined : table.blocks.get(check.key)
    if (block !== undefined && block.untilUs > nowUs) {
      if (!check.shadow) this.#refused = true
      this.#visit(question, answer, at + 1)
      const restUs = block.untilUs - nowUs
      answer.rows[at] = makeRow(
        { limit: check.policy.limit, remaining: 0, retryAfterUs: restUs, resetAfterUs: restUs },
        'blocked',
        '',
      )
      return
    }
    const state = this.#keys.stateAt(table, slot, { numbers, nowUs })
    const draft: Draft = definition.look(numbers, state, nowUs, check.cost)
    if (!draft.allowed && !check.shadow) this.#refused = true
    this.#visit(question, answer, at + 1)
    answer.rows[at] = this.#settle(question, { check, table, slot, state, draft, nowUs })
  }

  /** Second phase for one check: writes what its look drafted, where that is to happen, and says what stands now. */
  #settle(
    question: Question,
    looked: { check: Check; table: KeyTable; slot: number; state: unknown; draft: Draft; nowUs: number },
  ): Row {
    const { check, slot, state, draft, nowUs } = looked
    const { definition, numbers } = partsOf(check.policy)
    if (!draft.allowed) {
      if (definition.begin !== undefined && question.take) this.#begin(looked)
      return rowOf(draft, draft.retryAfterUs === null ? 'too-costly' : 'limited', '')
    }
    if (check.cost === 0) return rowOf(draft, null, '')
    if (!question.take || (this.#refused && question.charge === 'all-or-nothing')) {
      return rowOf(definition.look(numbers, state, nowUs, 0), null, '')
    }
    const taken: unknown = definition.take(this.#keys.own(slot, state), draft, this.#callFor(check, nowUs))
    this.#keys.save(looked, taken)
    const row = rowOf(draft, null, receiptOf(definition, taken, draft))
    if (!this.#refused) return row
    const again: Draft = definition.look(numbers, taken, nowUs, check.cost)
    return { ...row, retryAfterUs: again.retryAfterUs ?? -1 }
  }

  /** A strategy that must write on its first refusal: absent would be absent for ever. */
  #begin(looked: { check: Check; table: KeyTable; slot: number; state: unknown; nowUs: number }): void {
    const { check, state, nowUs } = looked
    const { definition, numbers } = partsOf(check.policy)
    if (state !== undefined && definition.idleUs(numbers, state, nowUs) > 0) return
    const begun: unknown = definition.begin?.(numbers, nowUs)
    if (begun !== undefined) this.#keys.save(looked, begun)
  }

  #callFor(check: Check, nowUs: number): { nowUs: number; id: string; note: string } {
    const call = this.#call
    call.nowUs = nowUs
    if (partsOf(check.policy).definition.wants !== undefined) {
      call.id = (this.#calls++).toString(36)
      call.note = check.note ?? ''
    }
    return call
  }

  #warnFull(): void {
    if (this.#warnings.includes('SLUICE_MEMORY_FULL')) return
    this.#warnings.push('SLUICE_MEMORY_FULL')
    const message =
      'every key in memory is exhausted and maxKeys is reached: unknown keys share one count per policy until keys recover'
    for (const listener of this.#listeners) listener.warned({ code: 'SLUICE_MEMORY_FULL', message })
  }

  adjust(changes: readonly Change[]): void {
    for (const change of changes) applyChange(this.#keys, change, this.#clock.nowUs())
  }

  manage(command: Command): unknown {
    return manageKey(this.#keys, command, this.#clock.nowUs())
  }

  watch(listener: StoreListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async ready(): Promise<void> {}

  health(): Health {
    return {
      status: 'ok',
      store: this.name,
      sinceMs: Math.floor((this.#clock.nowUs() - this.#startedUs) / 1000),
      failures: 0,
      fallbackDecisions: 0,
      lateReplies: 0,
      keys: this.#keys.size,
      warnings: [...this.#warnings],
    }
  }

  async close(): Promise<void> {}
}

function rowOf(draft: Draft, reason: Reason | null, receipt: string | number): Row {
  const { limit, remaining, retryAfterUs, resetAfterUs } = draft
  return makeRow({ limit, remaining, retryAfterUs: retryAfterUs ?? -1, resetAfterUs }, reason, receipt)
}

/** Without a receipt of its own, a take is given back only while the state is still the one that it left. */
function receiptOf(definition: KeyTable['definition'], state: unknown, draft: Draft): string | number {
  if (definition.give === undefined) return ''
  return definition.receipt === undefined ? JSON.stringify(state) : definition.receipt(state, draft)
}

/**
 * Counts in this process's memory: for one process, for tests, and as the fallback while Redis is away.
 *
 * @example createLimiter({ policy, store: memoryStore({ maxKeys: 10_000 }) })
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkNames(options, '', ['maxKeys', 'clock'])
  const { maxKeys = 100_000, clock = monotonicClock } = options
  if (typeof clock?.nowUs !== 'function') throw optionError('clock', 'a clock with nowUs()', clock)
  return new MemoryStore(wholeNumber(maxKeys, 'maxKeys', 1), clock)
}
