import type { GuardedAsker, GuardedStore } from '../resilience/guarded-store.ts'
import type { Question, StoreRows } from '../store.ts'
import type { Waiting } from '../waiting/deadlines.ts'

/** A store that can be asked more than once for one request, and that answers by its fallback only where that is wanted. */
export type Source = Pick<GuardedStore, 'answerTo' | 'answerWithout' | 'begin'>

/** Gets the answer of the store itself, or none. */
class OwnAnswer implements GuardedAsker {
  readonly own = true
  readonly request: Waiting | undefined
  #resolve: ((rows: StoreRows | undefined) => void) | undefined
  #failed = false

  constructor(request: Waiting | undefined) {
    this.request = request
  }

  answered(rows: StoreRows): void {
    this.#resolve?.(rows)
  }

  failed(): void {
    this.#failed = true
    this.#resolve?.(undefined)
  }

  /** The answer that is still to come. undefined: there will be none. */
  later(): undefined | Promise<StoreRows | undefined> {
    if (this.#failed) return undefined
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }
}

/** The answer of the store itself, within what is left of the request's wait. undefined: there is none, and nothing was decided. */
export function ownAnswer(
  source: Source,
  question: Question,
  request: Waiting | undefined,
): StoreRows | undefined | Promise<StoreRows | undefined> {
  const asker = new OwnAnswer(request)
  return source.answerTo(question, asker) ?? asker.later()
}
