import { optionError } from './errors.ts'
import { hints } from './options.ts'
import type { Asker, Question, Store, StoreRows } from './store.ts'

/** Whether an answer is still to come: a Promise of any library or realm. */
export function isLater<T>(answer: T | PromiseLike<T>): answer is PromiseLike<T> {
  return (
    typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function'
  )
}

/** A store's answer; a thenable of another library or realm becomes a Promise of this one. */
function asPromise<T>(answer: T | PromiseLike<T>): T | Promise<T> {
  return answer instanceof Promise || !isLater(answer) ? (answer as T | Promise<T>) : Promise.resolve(answer) // no other thenable is left
}

/** Whether it is a store. Throws an OptionError for a store that was written for an earlier version, which says what it lacks. */
export function isStore(value: unknown, path: string): value is Store {
  if (typeof value !== 'object' || value === null) return false
  if ('answer' in value && typeof value.answer === 'function') return true
  // `decide` alone does not mark such a store: a limiter has it as well.
  const hint = 'decide' in value && 'manage' in value ? hints.for?.('decide', []) : undefined
  if (hint !== undefined) throw optionError(path, hint, value)
  return false
}

/** A store's answer to one question; throws, or rejects with, a StoreError where there is none. */
export function askStore(store: Pick<Store, 'answer'>, question: Question): StoreRows | Promise<StoreRows> {
  return asPromise(store.answer(question))
}

/** A store that may want to know which asker waits for its answer, and until when. */
interface AskedStore extends Pick<Store, 'answerTo'> {
  answer(question: Question, asker: Asker): StoreRows | Promise<StoreRows>
}

/** The same, but `asker` gets an answer that does not come at once. Throws the StoreError of a store that fails at once. */
export function askStoreFor(store: AskedStore, question: Question, asker: Asker): StoreRows | undefined {
  if (store.answerTo !== undefined) return store.answerTo(question, asker)
  const answer = asPromise(store.answer(question, asker))
  if (!(answer instanceof Promise)) return answer
  tellAsker(asker, answer)
  return undefined
}

export function tellAsker(asker: Asker, answer: Promise<StoreRows>): void {
  answer.then(
    (rows) => asker.answered(rows),
    (error: unknown) => asker.failed(error),
  )
}

/** The answer that an asker would get later, as a promise. */
export function promisedAnswer(ask: (asker: Asker) => StoreRows | undefined): StoreRows | Promise<StoreRows> {
  const asker = new PromisedAnswer()
  const rows = ask(asker)
  return rows ?? asker.promise
}

/** An asker whose answer is a promise. `waiting`: the caller behind it, if there is one. */
export class PromisedAnswer implements Asker {
  readonly promise: Promise<StoreRows>
  readonly #waiting: Pick<Asker, 'done'> | undefined
  answered: (rows: StoreRows) => void = () => {}
  failed: (error: unknown) => void = () => {}

  constructor(waiting?: Pick<Asker, 'done'>) {
    this.#waiting = waiting
    this.promise = new Promise((resolve, reject) => {
      this.answered = resolve
      this.failed = reject
    })
  }

  get done(): boolean | undefined {
    return this.#waiting?.done
  }
}
