import type {
  Asker,
  Change,
  Command,
  HeldLease,
  InLine,
  LinePlace,
  Policy,
  Question,
  Renewal,
  StoreRows,
} from '@sluice/core'
import { onStates, optionError, runtime, type stores } from '@sluice/core/internal'
import { whyNotStorable } from './stored.ts'
import { type Act, type Transact, Transactions } from './transactions.ts'

export interface StateStoreParts {
  readonly name: string
  readonly transact: Transact
  readonly close?: (() => Promise<void>) | undefined
}

/** Runs the strategies' TypeScript half on states that a database keeps. Unguarded: bound its waits by a guard around it. */
export class StateStore implements stores.ConnectingStore {
  readonly name: string
  readonly can = ['reward', 'set', 'line', 'blockFor', 'upTo'] as const
  readonly keysWait = true
  readonly #transactions: Transactions
  readonly #close: StateStoreParts['close']
  readonly #mark = new runtime.RandomMark()
  #calls = 0

  constructor({ name, transact, close }: StateStoreParts) {
    this.name = name
    this.#transactions = new Transactions(name, transact, () => this.#nextMark().text)
    this.#close = close
  }

  answer(question: Question): Promise<StoreRows> {
    return this.#answer(question, undefined)
  }

  answerTo(question: Question, asker: Asker): undefined {
    this.#answer(question, asker).then(
      (rows) => asker.answered(rows),
      (error: unknown) => asker.failed(error),
    )
  }

  #answer(question: Question, asker: Asker | undefined): Promise<StoreRows> {
    const mark = this.#nextMark()
    const act: Act<StoreRows> = (states, nowUs) =>
      new onStates.TwoPhases(states, mark).answer(question, nowUs)
    return this.#transactions.run(question.checks, act, asker)
  }

  /** A mark that no other call has. A call has the same one in every attempt. */
  #nextMark(): { readonly text: string } {
    return { text: `${this.#mark.text}.${(this.#calls++).toString(36)}.` }
  }

  adjust(changes: readonly Change[]): Promise<void> {
    const checks = changes.map(({ check }) => check)
    return this.#transactions.run(checks, (states, nowUs) => {
      for (const change of changes) onStates.applyChange(states, change, nowUs)
    })
  }

  renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    const checks = held.map(({ check }) => check)
    return this.#transactions.run(checks, (states, nowUs) =>
      held.map((each) => onStates.renewOne(states, each, nowUs)),
    )
  }

  line(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    const checks = callers.map(({ check }) => check)
    const [first] = checks
    const places = first && onStates.placesOf(first)
    return this.#transactions.run(checks, (states, nowUs) => places?.stand(states, callers, nowUs) ?? [])
  }

  manage(command: Command): Promise<unknown> {
    return this.#transactions.run([command.check], (states, nowUs) =>
      onStates.manageKey(states, command, nowUs),
    )
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
    return this.#transactions.time()
  }

  async close(): Promise<void> {
    await this.#close?.()
  }
}
