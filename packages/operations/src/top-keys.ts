import type { Key } from '@sluice/core'
import { encodeKey } from '@sluice/core/internal'
import { type ShownKey, shownKey } from './shown-key.ts'

interface Slot {
  readonly shown: ShownKey
  count: number
  /** How much of the count is not the key's own: the count of the key whose place it took. */
  before: number
}

/** The keys with the highest counts, in bounded memory ("space-saving"): a new key takes the place of the key with the lowest count. */
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

  /** Halves all counts, so that recent ones weigh more. */
  fade(): void {
    for (const [name, slot] of this.#slots) {
      slot.count = Math.floor(slot.count / 2)
      slot.before = Math.floor(slot.before / 2)
      if (slot.count === 0) this.#slots.delete(name)
    }
  }

  /** The keys with the highest counts first. */
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
