import type { Key } from '@sluice/core'
import { encodeKey } from '@sluice/core/internal'
import { type ShownKey, shownKey } from './shown-key.ts'

interface Slot {
  readonly shown: ShownKey
  count: number
  /** What it may have been counted too much for. */
  before: number
}

/** The keys that are counted most, in bounded room ("space-saving"): a new key takes the place of the least. */
export class TopKeys {
  readonly #slots = new Map<string, Slot>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(key: Key, count: number): void {
    const name = encodeKey(key)
    const slot = this.#slots.get(name)
    if (slot !== undefined) {
      slot.count += count
      return
    }
    const before = this.#slots.size < this.#most ? 0 : this.#takeLeast()
    this.#slots.set(name, { shown: shownKey(key), count: before + count, before })
  }

  /** Counts half from now on, so that the list is of late. */
  fade(): void {
    for (const [name, slot] of this.#slots) {
      slot.count = Math.floor(slot.count / 2)
      slot.before = Math.floor(slot.before / 2)
      if (slot.count === 0) this.#slots.delete(name)
    }
  }

  /** The most first. */
  list(most: number): readonly { readonly shown: ShownKey; readonly count: number }[] {
    const slots = [...this.#slots.values()].sort((a, b) => b.count - a.count)
    return slots.slice(0, most).map(({ shown, count, before }) => ({ shown, count: count - before }))
  }

  #takeLeast(): number {
    let least: { name: string; count: number } | undefined
    for (const [name, { count }] of this.#slots)
      if (least === undefined || count < least.count) least = { name, count }
    if (least === undefined) return 0
    this.#slots.delete(least.name)
    return least.count
  }
}
