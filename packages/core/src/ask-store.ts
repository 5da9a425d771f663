import { storeError } from './errors.ts'
import { asPromise } from './later.ts'
import type { Question, Store, StoreRows } from './store.ts'

/** A store; one that wants to know its caller learns who waits for the answer. */
type Asked<Caller> = Pick<Store, 'name' | 'decide'> & {
  answer?(question: Question, caller?: Caller): StoreRows | Promise<StoreRows>
}

/** A store's answer to one question, whichever way it is asked; throws, or rejects with, a StoreError where there is none. */
export function askStore<Caller>(
  store: Asked<Caller>,
  question: Question,
  caller?: Caller,
): StoreRows | Promise<StoreRows> {
  if (store.answer !== undefined) return asPromise(store.answer(question, caller))
  const answers = asPromise(store.decide([question]))
  return answers instanceof Promise ? answers.then((all) => firstOf(store, all)) : firstOf(store, answers)
}

function firstOf({ name }: Pick<Store, 'name'>, [rows]: readonly StoreRows[]): StoreRows {
  if (rows === undefined) throw storeError(name, 'the store answered no rows')
  return rows
}
