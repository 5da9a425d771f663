import { type Keyed, KeyedList } from '../linked-list.ts'
import type { Check } from '../store.ts'

/** When a key was last changed by hand, by the clock of the process that changed it. */
interface ActedKey extends Keyed<ActedKey> {
  readonly atMs: number
}

/** At most this many keys are kept. For any other key, every act counts as the latest. */
const mostKept = 1000

/**
 * When each key was last changed by hand, in this process or in another. A process may hear of an act after a later one, which has
 * already replaced it in the store.
 */
export class LatestActs {
  readonly #kept = new KeyedList<ActedKey>()

  /** true: this act is the latest of its key. false: a later one is known. */
  note({ id, key }: Check, atMs: number): boolean {
    if (atMs < (this.#kept.get({ id, key })?.atMs ?? Number.NEGATIVE_INFINITY)) return false
    this.#kept.put({ id, key, atMs, previous: undefined, next: undefined })
    if (this.#kept.size > mostKept) this.#kept.drop(this.#kept.first)
    return true
  }
}
