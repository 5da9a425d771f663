import { storeError } from './errors.ts'
import { asPromise } from './later.ts'
import type { Asker, Question, Store, StoreRows } from './store.ts'

/** A store's answer to one question, whichever way it is asked; throws, or rejects with, a StoreError where there is none. */
export function askStore(
  store: Pick<Store, 'name' | 'decide' | 'answer'>,
  question: Question,
): StoreRows | Promise<StoreRows> {
  if (store.answer !== undefined) return asPromise(store.answer(question))
  const answers = asPromise(store.decide([question]))
  return answers instanceof Promise ? answers.then((all) => firstOf(store, all)) : firstOf(store, answers)
}

function firstOf({ name }: Pick<Store, 'name'>, [rows]: readonly StoreRows[]): StoreRows {
  if (rows === undefined) throw storeError(name, 'the store answered no rows')
  return rows
}

/** The same, where `asker` gets what does not come at once; throws a StoreError where there is no answer at once. */
export function askStoreFor(
  store: Pick<Store, 'name' | 'decide' | 'answer' | 'answerTo'>,
  question: Question,
  asker: Asker,
): StoreRows | undefined {
  if (store.answerTo !== undefined) return store.answerTo(question, asker)
  const answer = askStore(store, question)
  if (!(answer instanceof Promise)) return answer
  answer.then(
    (rows) => asker.answered(rows),
    (error: unknown) => asker.failed(error),
  )
  return undefined
}

/** The answer that an asker would get later, as a promise. */
export function promisedAnswer(ask: (asker: Asker) => StoreRows | undefined): StoreRows | Promise<StoreRows> {
  const asker = new PromisedAnswer()
  const rows = ask(asker)
  return rows ?? asker.promise
}

class PromisedAnswer implements Asker {
  readonly promise: Promise<StoreRows>
  answered: (rows: StoreRows) => void = () => {}
  failed: (error: unknown) => void = () => {}

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.answered = resolve
      this.failed = reject
    })
  }
}
