import { type Keyed, KeyedList } from '../linked-list.ts'
import type { Check } from '../store.ts'

/** How many that are over go with each new one. */
const sweepSteps = 8

/** What is known of a key since an outage. */
interface KnownKey extends Keyed<KnownKey> {
  /** When the store knew all that was counted here; 0: it does not. */
  readonly syncedUs: number
  /** Until when that matters. */
  readonly untilUs: number
}

/**
 * Keys of which the store knows all that was counted here since an outage, and keys of which it does not, though it is well: it had no
 * room to renew what is in flight, others were first at the key for too long, or the key has not come to rest since.
 */
export class SyncedKeys {
  readonly #most: number
  readonly #known = new KeyedList<KnownKey>()

  /** `most`: beyond it those go that were noted first. */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#known.size
  }

  /** What was counted here is held against the key until then. */
  hold(check: Check, untilUs: number, nowUs: number): void {
    const known = this.#known.get(check)
    const longestUs = known?.syncedUs === 0 ? Math.max(known.untilUs, untilUs) : untilUs
    this.#put(check, 0, longestUs, nowUs)
  }

  holds(check: Check, nowUs: number): boolean {
    const known = this.#known.get(check)
    return known?.syncedUs === 0 && known.untilUs > nowUs
  }

  /** The store knew all of it at `syncedUs`, which matters until `untilUs`. */
  sync(check: Check, syncedUs: number, untilUs: number): void {
    this.#put(check, syncedUs, untilUs, syncedUs)
  }

  /** Whether the store knew all of it after that instant. */
  isSynced(check: Check, afterUs: number): boolean {
    return (this.#known.get(check)?.syncedUs ?? 0) > afterUs
  }

  #put({ id, key }: Check, syncedUs: number, untilUs: number, nowUs: number): void {
    for (let steps = sweepSteps; steps > 0; steps--) {
      const { first, size } = this.#known
      if (first === undefined || (first.untilUs > nowUs && size < this.#most)) break
      this.#known.drop(first)
    }
    this.#known.put({ id, key, syncedUs, untilUs, previous: undefined, next: undefined })
  }
}
