import { type Clock, monotonicClock } from '../clock.ts'
import { optionError } from '../errors.ts'
import { Listeners } from '../listeners.ts'
import { checkNames, wholeNumber } from '../options.ts'
import { makeRow } from '../row.ts'
import type {
  Change,
  Check,
  Command,
  Health,
  Held,
  Question,
  Renewal,
  Row,
  Rows,
  Store,
  StoreListener,
} from '../store.ts'
import { type AnyStrategy, type Call, type Draft, partsOf } from '../strategies/definition.ts'
import { applyChange } from './adjust.ts'
import { Keys } from './keys.ts'
import { afterwards, blockedLook, type Look, lookAfresh, onceMore, withinMaxWait } from './look.ts'
import { manageKey } from './manage.ts'
import { renewOne } from './renew.ts'

export interface MemoryStoreOptions {
  /** Keys kept at most, blocked ones among them; beyond it idle keys go, exhausted and blocked keys stay. @default 100_000 */
  maxKeys?: number | undefined
  /** @default monotonic */
  clock?: Clock | undefined
}

/** Counts in this process. Decides at once: `decide` answers rows, not a promise. */
export class MemoryStore implements Store {
  readonly name = 'memory'
  readonly clock: Clock
  readonly #keys: Keys
  readonly #listeners = new Listeners()
  readonly #warnings: string[] = []
  readonly #startedUs: number
  readonly #call = { nowUs: 0, id: '', note: '' }
  readonly #mark: string
  #calls = 0

  /** `mark` begins its receipts, so that they differ from those of other stores. */
  constructor(maxKeys: number, clock: Clock, mark = '') {
    this.clock = clock
    this.#mark = mark
    this.#keys = new Keys(maxKeys, () => this.#warnFull())
    this.#startedUs = clock.nowUs()
  }

  decide(questions: readonly Question[]): readonly Rows[] {
    return questions.map((question) => this.answer(question))
  }

  // Fast path: one check. Several are split out so that V8 can inline this.
  answer(question: Question): Rows {
    const nowUs = this.clock.nowUs()
    this.#call.nowUs = nowUs
    const only = question.checks[0]
    if (question.checks.length !== 1 || only === undefined) return this.#answerAll(question, nowUs)
    const look = this.#look(only, nowUs)
    const bounded = question.maxWaitUs > 0 ? withinMaxWait(look, question.maxWaitUs) : look
    return [this.#take(question, bounded, question.others !== undefined)]
  }

  /** Looks at every check, then takes: the two phases of decide.lua. */
  #answerAll(question: Question, nowUs: number): Rows {
    const looks = question.checks.map((check) => withinMaxWait(this.#look(check, nowUs), question.maxWaitUs))
    const refuses = ({ check, draft }: Look) => !draft.allowed && !check.shadow
    const refused = question.others !== undefined || looks.some(refuses)
    return looks.map((look) => this.#take(question, lookAfresh(look), refused))
  }

  #look(check: Check, nowUs: number): Look {
    const table = this.#keys.tableOf(check)
    const slot = table.find(check.key)
    const blockedUs = table.blocks.restUs(check.key, nowUs)
    const { numbers } = partsOf(check.policy)
    if (blockedUs > 0) return blockedLook({ check, numbers, table, slot, nowUs }, blockedUs)
    const state = table.stateAt(slot, numbers, nowUs)
    const draft: Draft = table.definition.look(numbers, state, nowUs, check.cost)
    return { check, numbers, table, slot, nowUs, state, draft, blocked: false }
  }

  /** Second phase for one check: writes what its look drafted, if it may, and answers the row. */
  #take(question: Question, look: Look, refused: boolean): Row {
    const { check, table, draft } = look
    const { definition } = table
    const takes = question.take && draft.allowed && check.cost > 0
    const spared = refused && (question.charge === 'all-or-nothing' || definition.inFlight === true)
    if (!takes || spared) return this.#leave(question, look)
    const call = definition.wants === undefined ? this.#call : this.#markedCall(check)
    const taken: unknown = definition.take(look.state, draft, call)
    this.#keys.save(look, taken)
    const row = makeRow(draft, null, receiptOf(definition, taken, draft))
    if (draft.waitUs !== undefined) return afterwards(row, look, taken)
    return refused ? onceMore(row, look, taken) : row
  }

  /** Takes nothing; a key that is asked for the first time may begin all the same. */
  #leave(question: Question, look: Look): Row {
    const row = this.#standing(question, look)
    const { check, table, blocked } = look
    const asked = question.take && check.cost > 0 && !blocked
    if (asked && table.definition.begin !== undefined) this.#begin(look)
    return row
  }

  #standing(question: Question, look: Look): Row {
    const { check, numbers, table, state, draft, nowUs, blocked } = look
    if (blocked) return makeRow(draft, 'blocked', '')
    if (!draft.allowed) return makeRow(draft, draft.retryAfterUs === null ? 'too-costly' : 'limited', '')
    if (check.cost === 0) return makeRow(draft, null, '')
    const left: Draft = table.definition.look(numbers, state, nowUs, 0)
    const { waitUs } = draft
    return makeRow(waitUs === undefined || question.take ? left : { ...left, waitUs }, null, '')
  }

  /** A strategy that must write on its first refusal: absent would be absent for ever. */
  #begin(look: Look): void {
    const { numbers, table, state, nowUs } = look
    const { definition } = table
    if (state !== undefined && definition.idleUs(numbers, state, nowUs) > 0) return
    const begun: unknown = definition.begin?.(numbers, nowUs)
    if (begun !== undefined) this.#keys.save(look, begun)
  }

  #markedCall(check: Check): Call {
    this.#call.id = this.#mark + (this.#calls++).toString(36)
    this.#call.note = check.note ?? ''
    return this.#call
  }

  #warnFull(): void {
    if (this.#warnings.includes('SLUICE_MEMORY_FULL')) return
    this.#warnings.push('SLUICE_MEMORY_FULL')
    const message =
      'every key in memory is exhausted or blocked and maxKeys is reached: unknown keys share one count per policy until keys recover'
    this.#listeners.warned({ code: 'SLUICE_MEMORY_FULL', message })
  }

  adjust(changes: readonly Change[]): void {
    for (const change of changes) applyChange(this.#keys, change, this.clock.nowUs())
  }

  /** As of a time before now; a key that shares its count with others is corrected now, as they were counted since. */
  adjustAt(change: Change, atUs: number): void {
    const isShared = this.#keys.tableOf(change.check).shares(change.check.key)
    applyChange(this.#keys, change, isShared ? this.clock.nowUs() : atUs)
  }

  renew(held: readonly Held[]): readonly Renewal[] {
    return held.map((each) => renewOne(this.#keys, each, this.clock.nowUs()))
  }

  manage(command: Command): unknown {
    return manageKey(this.#keys, command, this.clock.nowUs())
  }

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }

  async ready(): Promise<void> {}

  health(): Health {
    return {
      status: 'ok',
      store: this.name,
      sinceMs: Math.floor((this.clock.nowUs() - this.#startedUs) / 1000),
      failures: 0,
      fallbackDecisions: 0,
      lateReplies: 0,
      keys: this.#keys.size,
      warnings: [...this.#warnings],
    }
  }

  async close(): Promise<void> {}
}

/** Without `receipt` in the strategy, a take is given back only while the state is still the one it left. */
function receiptOf(definition: AnyStrategy, state: unknown, draft: Draft): string | number {
  if (definition.give === undefined) return ''
  return definition.receipt === undefined ? JSON.stringify(state) : definition.receipt(state, draft)
}

/** A clock without a time would let everything pass, as nothing is past a limit at no time. */
function checkClock(clock: Clock): void {
  if (typeof clock?.nowUs !== 'function') throw optionError('clock', 'a clock with nowUs()', clock)
  const nowUs: unknown = clock.nowUs()
  if (!Number.isFinite(nowUs)) throw optionError('clock.nowUs', 'a function that answers microseconds', nowUs)
}

/**
 * Counts in this process's memory: for one process, for tests, and as the fallback while Redis is away.
 *
 * @example createLimiter({ policy, store: memoryStore({ maxKeys: 10_000 }) })
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkNames(options, '', ['maxKeys', 'clock'])
  const { maxKeys = 100_000, clock = monotonicClock } = options
  checkClock(clock)
  return new MemoryStore(wholeNumber(maxKeys, 'maxKeys', 1), clock)
}
