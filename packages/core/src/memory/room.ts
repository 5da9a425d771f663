import type { KeyTable } from './table.ts'

/** How many slots are looked at for an idle key before one that merely is not exhausted goes. */
const patience = 64

/**
 * Keeps the number of stored keys within a bound. Idle keys go first, then keys that would be admitted now;
 * an exhausted key stays, whatever is sprayed at the store.
 */
export class Room {
  readonly #tables: readonly KeyTable[]
  readonly #maxKeys: number
  #table = 0
  #slot = 0
  #size = 0
  /** No stored key may go before this instant, unless one is changed by hand. */
  #fullUntilUs = 0

  constructor(tables: readonly KeyTable[], maxKeys: number) {
    this.#tables = tables
    this.#maxKeys = maxKeys
  }

  get size(): number {
    return this.#size
  }

  /** Room for one more key, or false when every stored key is exhausted. Sweeps a little each time, so that idle keys do not stay. */
  claim(nowUs: number): boolean {
    this.#sweep(2, nowUs)
    if (this.#size >= this.#maxKeys && (nowUs < this.#fullUntilUs || !this.#evict(nowUs))) return false
    this.#size++
    return true
  }

  drop(table: KeyTable, slot: number): void {
    table.drop(slot)
    this.#size--
    this.#fullUntilUs = 0
  }

  /** A key was given something back: it may no longer be exhausted. */
  loosen(): void {
    this.#fullUntilUs = 0
  }

  #sweep(steps: number, nowUs: number): void {
    for (let i = 0; i < steps && this.#size > 0; i++) {
      const table = this.#next()
      if (table?.inUse(this.#slot) && table.isIdle(this.#slot, nowUs)) this.drop(table, this.#slot)
    }
  }

  #evict(nowUs: number): boolean {
    let victim: { table: KeyTable; slot: number } | undefined
    let soonestUs = Number.POSITIVE_INFINITY
    const all = this.#tables.reduce((sum, { slots }) => sum + slots + 1, 0)
    for (let i = 0; i < all && (victim === undefined || i < patience); i++) {
      const table = this.#next()
      if (table === undefined || !table.inUse(this.#slot)) continue
      if (table.isIdle(this.#slot, nowUs)) {
        this.drop(table, this.#slot)
        return true
      }
      const exhaustedUs = table.exhaustedUs(this.#slot, nowUs)
      soonestUs = Math.min(soonestUs, exhaustedUs)
      if (exhaustedUs === 0) victim ??= { table, slot: this.#slot }
    }
    if (victim === undefined) this.#fullUntilUs = nowUs + soonestUs
    else this.drop(victim.table, victim.slot)
    return victim !== undefined
  }

  /** Moves the hand on by one slot, over all tables in turn. */
  #next(): KeyTable | undefined {
    const table = this.#tables[this.#table]
    if (table !== undefined && ++this.#slot < table.slots) return table
    this.#table = (this.#table + 1) % this.#tables.length
    this.#slot = 0
    return this.#tables[this.#table]
  }
}
