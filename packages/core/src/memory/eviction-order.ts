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

  /** Whether the slot's key would be admitted, by what was last noted. In most tables that is so for every key: both heaps are empty. */
  isOpen(slot: number): boolean {
    return (this.#exhausted.size === 0 && this.#blockedByHand.size === 0) || this.#open.has(slot)
  }

  /** Notes that the slot's key would be admitted. */
  open(slot: number): void {
    if (this.#open.has(slot)) return
    this.forget(slot)
    this.#open.add(slot)
  }

  /** Notes that the slot's key is exhausted or blocked until then. */
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

  /** The slot of a key that may be evicted, by what was last noted of it: look again before you drop it. -1: there is none. */
  next(nowUs: number): number {
    const { any } = this.#open
    if (any >= 0) return any
    if (this.#exhausted.firstUs <= nowUs) return this.#exhausted.first
    return this.#blockedByHand.firstUs <= nowUs ? this.#blockedByHand.first : -1
  }

  /** The key that recovers first, of those that are blocked by hand or of those that are exhausted. */
  soonest(byHand: boolean): { readonly slot: number; readonly untilUs: number } {
    const heap = byHand ? this.#blockedByHand : this.#exhausted
    return { slot: heap.first, untilUs: heap.firstUs }
  }
}
