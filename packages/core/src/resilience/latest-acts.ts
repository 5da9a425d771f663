import { type Keyed, KeyedList } from '../linked-list.ts'
import type { Check } from '../store.ts'

/** When a key was last changed by hand, by the clock of the process that did it. */
interface ActedKey extends Keyed<ActedKey> {
  readonly atMs: number
}

/** How many are kept: of the others every act counts as the latest. */
const mostKept = 1000

/**
 * When each key was last changed by hand, in this process or in another. News of an act may come after a later act: what it did has
 * been replaced in the store.
 */
export class LatestActs {
  readonly #kept = new KeyedList<ActedKey>()

  /** false: a later act is known. true: this is the latest now. */
  note({ id, key }: Check, atMs: number): boolean {
    if (atMs < (this.#kept.get({ id, key })?.atMs ?? Number.NEGATIVE_INFINITY)) return false
    this.#kept.put({ id, key, atMs, previous: undefined, next: undefined })
    if (this.#kept.size > mostKept) this.#kept.drop(this.#kept.first)
    return true
  }
}
