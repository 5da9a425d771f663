import { SlotHeap } from './slot-heap.ts'
import { SlotSet } from './slot-set.ts'

/**
 * Which keys of a table may be evicted, and when the others may: kept up to date at every change, so that no call has to look
 * through them.
 */
export class EvictionOrder {
  /** Keys that would be admitted. */
  readonly #open = new SlotSet()
  /** Exhausted keys and those that a penalty blocks, ordered by when that ends. */
  readonly #exhausted = new SlotHeap()
  readonly #blockedByHand = new SlotHeap()

  /** Of most tables every key is. */
  isOpen(slot: number): boolean {
    return (this.#exhausted.size === 0 && this.#blockedByHand.size === 0) || this.#open.has(slot)
  }

  /** The slot's key would be admitted. */
  open(slot: number): void {
    if (this.#open.has(slot)) return
    this.forget(slot)
    this.#open.add(slot)
  }

  /** It is exhausted or blocked until then. */
  close(slot: number, untilUs: number, byHand: boolean): void {
    this.#open.remove(slot)
    if (byHand) {
      this.#exhausted.remove(slot)
      this.#blockedByHand.set(slot, untilUs)
    } else {
      this.#blockedByHand.remove(slot)
      this.#exhausted.set(slot, untilUs)
    }
  }

  forget(slot: number): void {
    this.#open.remove(slot)
    this.#exhausted.remove(slot)
    this.#blockedByHand.remove(slot)
  }

  /** A key that may go, by what was last noted of it: look again before it goes. -1: none. */
  next(nowUs: number): number {
    const { any } = this.#open
    if (any >= 0) return any
    if (this.#exhausted.firstUs <= nowUs) return this.#exhausted.first
    return this.#blockedByHand.firstUs <= nowUs ? this.#blockedByHand.first : -1
  }

  /** The key that may go next: of those that are blocked by hand, or of those that are exhausted. */
  soonest(byHand: boolean): { readonly slot: number; readonly untilUs: number } {
    const heap = byHand ? this.#blockedByHand : this.#exhausted
    return { slot: heap.first, untilUs: heap.firstUs }
  }
}
