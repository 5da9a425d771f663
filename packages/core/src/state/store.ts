import { optionError, storeError } from '../errors.ts'
import { stateFormat, stateKey } from '../key.ts'
import { applyChange } from '../memory/adjust.ts'
import { standInLine } from '../memory/line.ts'
import { manageKey } from '../memory/manage.ts'
import { renewOne } from '../memory/renew.ts'
import { TwoPhases } from '../memory/two-phases.ts'
import type { Policy } from '../policy.ts'
import { RandomMark } from '../runtime.ts'
import type {
  Change,
  Check,
  Command,
  HeldLease,
  InLine,
  LinePlace,
  Question,
  Renewal,
  Store,
  StoreRows,
} from '../store.ts'
import { ReadStates, type StateWrite } from './states.ts'
import { whyNotStorable } from './stored.ts'

/** What a change of states makes of them: the caller's result, and what is to be written. */
export interface StateChange<T> {
  readonly result: T
  /** Of keys that were read, each once. */
  readonly writes: readonly StateWrite[]
}

/**
 * Reads the states of these keys (null: there is none, or its time to live is over), lets `change` compute on them, and writes what it
 * says, as one step that nothing else comes between. `nowUs` is the database's clock: whole microseconds since 1970. A transaction
 * that is tried again calls `change` again, which keeps nothing from one call to the next. Without keys it only asks for the time.
 */
export type Transact = <T>(
  keys: readonly string[],
  change: (states: readonly (string | null)[], nowUs: number) => StateChange<T>,
) => Promise<T>

export interface StateStoreParts {
  readonly name: string
  readonly transact: Transact
  readonly close?: (() => Promise<void>) | undefined
}

/** The name of a check's state, as a Redis store spells it too. */
export function stateName(check: Check): string {
  return stateKey(stateFormat, check)
}

/** The strategies' TypeScript half on states that a database keeps. Unguarded: bound its waits by a guard around it. */
export class StateStore implements Store {
  readonly name: string
  readonly can = ['reward', 'set', 'line', 'blockFor'] as const
  readonly #parts: StateStoreParts
  readonly #mark = new RandomMark()
  #calls = 0

  constructor(parts: StateStoreParts) {
    this.name = parts.name
    this.#parts = parts
  }

  decide(questions: readonly Question[]): Promise<readonly StoreRows[]> {
    // The same in every attempt, and no other call's.
    const mark = this.#nextMark()
    const checks = questions.flatMap((question) => question.checks)
    return this.#transact(checks, (states, nowUs) => {
      const phases = new TwoPhases(states, { text: mark })
      return questions.map((question) => phases.answer(question, nowUs))
    })
  }

  #nextMark(): string {
    return `${this.#mark.text}.${(this.#calls++).toString(36)}.`
  }

  adjust(changes: readonly Change[]): Promise<void> {
    const checks = changes.map(({ check }) => check)
    return this.#transact(checks, (states, nowUs) => {
      for (const change of changes) applyChange(states, change, nowUs)
    })
  }

  renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    const checks = held.map(({ check }) => check)
    return this.#transact(checks, (states, nowUs) => held.map((each) => renewOne(states, each, nowUs)))
  }

  line(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    const checks = callers.map(({ check }) => check)
    return this.#transact(checks, (states, nowUs) => standInLine(states, callers, nowUs))
  }

  manage(command: Command): Promise<unknown> {
    return this.#transact([command.check], (states, nowUs) => manageKey(states, command, nowUs))
  }

  #transact<T>(checks: readonly Check[], act: (states: ReadStates, nowUs: number) => T): Promise<T> {
    const byName = new Map(checks.map((check) => [stateName(check), check]))
    // In one order in all processes: one that locks them one by one meets none that does so the other way round.
    const named = [...byName].sort(([a], [b]) => (a < b ? -1 : 1))
    const names = named.map(([name]) => name)
    const newEra = this.#nextMark()
    return this.#parts.transact(names, (texts, nowUs) => {
      this.#checkRead(texts, names, nowUs)
      const states = new ReadStates(nowUs, newEra)
      for (const [i, [name, check]] of named.entries()) states.add(check, name, texts[i] ?? null)
      const result = act(states, nowUs)
      return { result, writes: states.writes }
    })
  }

  #checkRead(texts: readonly (string | null)[], names: readonly string[], nowUs: number): void {
    if (!Number.isSafeInteger(nowUs) || nowUs <= 0)
      throw storeError(this.name, `transact: nowUs must be whole microseconds since 1970, and not ${nowUs}`)
    if (!Array.isArray(texts) || texts.length !== names.length)
      throw storeError(this.name, `transact: ${names.length} keys want as many states, in their order`)
  }

  accept(policy: Policy, path: string): void {
    const why = whyNotStorable(policy)
    if (why !== undefined)
      throw optionError(
        path,
        `a strategy whose states are plain data, as this store needs (${why})`,
        policy.strategy,
      )
  }

  /** Asks the database for its time. */
  ready(): Promise<void> {
    return this.#parts.transact([], (_states, nowUs) => {
      this.#checkRead([], [], nowUs)
      return { result: undefined, writes: [] }
    })
  }

  async close(): Promise<void> {
    await this.#parts.close?.()
  }
}
