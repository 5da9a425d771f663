import type { KeyTable } from './table.ts'

/** How many slots are searched for an idle key before a key is evicted that is only not exhausted. */
const patience = 64
/** How many keys of each table are checked that should have recovered by now; those that have not are noted anew. */
const retries = 8

/** Whether more about a key of the table `id` is kept elsewhere, so that its state matters although it is idle. */
export type IsHeld = (id: string, key: string) => boolean

interface Victim {
  readonly table: KeyTable
  readonly slot: number
}

/**
 * Keeps the number of stored keys within a bound. Idle keys go first, then keys that would be admitted now; an exhausted key stays,
 * however many made-up keys are sprayed at the store. No call ever looks at more than a fixed number of keys.
 */
export class Evictor {
  readonly #tables: Map<string, KeyTable>
  readonly #maxKeys: number
  readonly #isHeld: IsHeld
  #hand: Iterator<KeyTable, undefined> | undefined
  #table: KeyTable | undefined
  #slot = 0
  #size = 0

  constructor(tables: Map<string, KeyTable>, maxKeys: number, isHeld: IsHeld) {
    this.#tables = tables
    this.#maxKeys = maxKeys
    this.#isHeld = isHeld
  }

  get size(): number {
    return this.#size
  }

  /** Makes room for one more key, or false when every stored key is exhausted. Sweeps a little each time, so that idle keys do not stay. */
  claim(nowUs: number): boolean {
    this.#sweep(2, nowUs)
    if (this.#size >= this.#maxKeys && !this.#evict(nowUs)) return false
    this.#size++
    return true
  }

  /** Makes room although every stored key is exhausted: drops the key that would recover first, else the manual block that ends first. */
  displace(): boolean {
    const victim = this.#soonest(false) ?? this.#soonest(true)
    victim?.table.drop(victim.slot)
    return victim !== undefined
  }

  drop(table: KeyTable, slot: number, isIdle = false): void {
    table.drop(slot, isIdle)
    this.#size--
  }

  #sweep(steps: number, nowUs: number): void {
    for (let i = 0; i < steps && this.#size > 0; i++) {
      const table = this.#next(nowUs)
      if (table?.inUse(this.#slot) && this.#isIdle(table, nowUs)) this.drop(table, this.#slot, true)
    }
  }

  #isIdle(table: KeyTable, nowUs: number): boolean {
    return table.isIdle(this.#slot, nowUs) && !this.#isHeld(table.id, table.keyAt(this.#slot))
  }

  #evict(nowUs: number): boolean {
    const found = this.#anyOpen(nowUs)
    if (found === undefined) return false
    const { table, slot } = this.#better(found, nowUs)
    this.drop(table, slot)
    return true
  }

  /** A key that would be admitted now. */
  #anyOpen(nowUs: number): Victim | undefined {
    for (const table of this.#tables.values()) {
      for (let i = 0; i < retries; i++) {
        const slot = table.evictionOrder.next(nowUs)
        if (slot < 0) break
        if (table.exhaustedUs(slot, nowUs) === 0) return { table, slot }
        table.note(slot, nowUs)
      }
    }
    return undefined
  }

  /** An idle key to evict in place of `found`; without one, the first key that the hand met that would be admitted now, else `found`. */
  #better(found: Victim, nowUs: number): Victim {
    let better: Victim | undefined
    for (let i = 0; i < patience; i++) {
      const table = this.#next(nowUs)
      if (!table?.inUse(this.#slot)) continue
      if (this.#isIdle(table, nowUs)) return { table, slot: this.#slot }
      if (better === undefined && table.exhaustedUs(this.#slot, nowUs) === 0)
        better = { table, slot: this.#slot }
    }
    return better ?? found
  }

  #soonest(byHand: boolean): Victim | undefined {
    let victim: Victim | undefined
    let soonestUs = Number.POSITIVE_INFINITY
    for (const table of this.#tables.values()) {
      const { slot, untilUs } = table.evictionOrder.soonest(byHand)
      if (slot < 0 || (victim !== undefined && untilUs >= soonestUs)) continue
      victim = { table, slot }
      soonestUs = untilUs
    }
    return victim
  }

  /** Moves the hand on by one slot, over all tables in turn. */
  #next(nowUs: number): KeyTable | undefined {
    const table = this.#table
    if (table !== undefined && ++this.#slot < table.slots) return table
    if (table?.isUnused(nowUs) && !table.isLeaving) void this.#remove(table, nowUs)
    this.#slot = 0
    this.#table = this.#hand?.next().value
    if (this.#table === undefined) this.#hand = this.#tables.values()
    return this.#table
  }

  /** Removes a table whose limiter may be gone. Calls are synchronous, so it waits until this call has ended, which may use the table. */
  async #remove(table: KeyTable, nowUs: number): Promise<void> {
    table.isLeaving = true
    await undefined
    table.isLeaving = false
    if (!table.isUnused(nowUs)) return
    this.#tables.delete(table.id)
    // By the empty id, `Keys` sees that its latest table was removed. Without `next` it keeps no other removed table in memory.
    table.id = ''
    table.next = undefined
  }
}
