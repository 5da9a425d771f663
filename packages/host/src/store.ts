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
  StoreListener,
  StoreRows,
} from '@sluice/core'
import { optionError, stores } from '@sluice/core/internal'
import { QuestionCall, VerbCall } from './call.ts'
import { reasonOf } from './errors.ts'
import { Forms } from './forms.ts'
import { Seating, type SeatingParts } from './seating.ts'
import { type Verb, verbs } from './wire/verbs.ts'

export type HostStoreParts = Pick<SeatingParts, 'takeSeat' | 'maxKeys' | 'clock' | 'file'>

/**
 * The counts of all processes of one machine: one of them holds them in its memory, and the others ask it. Unguarded: bound its waits
 * by a guard around it.
 */
export class HostStore implements stores.ConnectingStore {
  readonly name = 'host'
  readonly can = ['reward', 'set', 'line', 'blockFor', 'upTo'] as const
  readonly #listeners = new stores.Listeners()
  readonly #forms = new Forms()
  readonly #seating: Seating

  constructor(parts: HostStoreParts) {
    this.#seating = new Seating({ ...parts, forms: this.#forms, listeners: this.#listeners })
  }

  answer(question: Question): StoreRows | Promise<StoreRows> {
    return stores.promisedAnswer((asker) => this.answerTo(question, asker))
  }

  /** Answers at once if this process holds the counts. */
  answerTo(question: Question, asker: Asker): StoreRows | undefined {
    const { desk } = this.#seating
    if (desk !== undefined) return desk.answer(question)
    this.#seating.put(new QuestionCall(question, asker))
    return undefined
  }

  adjust(changes: readonly Change[]): Promise<void> {
    return this.#ask(verbs.adjust, changes)
  }

  renew(held: readonly HeldLease[]): Promise<readonly Renewal[]> {
    return this.#ask(verbs.renew, held)
  }

  line(callers: readonly InLine[]): Promise<readonly LinePlace[]> {
    return this.#ask(verbs.line, callers)
  }

  manage(command: Command): Promise<unknown> {
    return this.#ask(verbs.manage, command)
  }

  async #ask<Given, Answer>(verb: Verb<Given, Answer>, given: Given): Promise<Answer> {
    const { desk } = this.#seating
    if (desk !== undefined) return verb.run(desk, given)
    const call = new VerbCall(verb, given)
    this.#seating.put(call)
    return call.promise
  }

  accept(policy: Policy, path: string): void {
    try {
      this.#forms.adopt(policy)
    } catch (error) {
      const expected = `a strategy of @sluice/core, as this store needs (${reasonOf(error)})`
      throw optionError(path, expected, policy.strategy)
    }
  }

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }

  /** Resolves once it is known which process holds the counts. */
  begin(): Promise<void> {
    return this.#seating.begin()
  }

  /** Resolves once the counts have answered. */
  async ready(): Promise<void> {
    await this.#seating.begin()
    await this.#ask(verbs.ping, undefined)
  }

  close(): Promise<void> {
    return this.#seating.close()
  }
}
