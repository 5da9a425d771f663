import type { Question, Store, StoreRows } from '../store.ts'
import type { Waiting } from '../waiting/deadlines.ts'

/** A store of which units are taken ahead: what is taken for later is never taken from a fallback. */
export interface AheadStore extends Store {
  /** Begins one request's wait; undefined while the store has not answered at all yet, when a wait begins with its question. */
  begin(): Waiting | undefined
  /** What the store itself says, within what is left of the request's wait. undefined: nothing, and nothing was decided. */
  ownAnswer(
    question: Question,
    request: Waiting | undefined,
  ): StoreRows | undefined | Promise<StoreRows | undefined>
  /** Decides as `onStoreFailure` says, without asking the store. */
  answerWithout(question: Question): StoreRows
}
