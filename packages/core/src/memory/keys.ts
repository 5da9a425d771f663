import type { Policy } from '../policy.ts'
import type { Check } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { Block } from './blocks.ts'
import { Evictor, type IsHeld } from './evictor.ts'
import type { Place, States } from './states.ts'
import { KeyTable } from './table.ts'

/** All keys of a memory store: a table for each (limiter, policy, strategy), and the room that they share. */
export class Keys implements States<KeyTable> {
  readonly tables: Map<string, KeyTable> = new Map()
  readonly #evictor: Evictor
  readonly #full: () => void
  #latest: KeyTable | undefined

  /** `full` is called when an unknown key finds no room. */
  constructor(maxKeys: number, full: () => void, isHeld: IsHeld) {
    this.#evictor = new Evictor(this.tables, maxKeys, isHeld)
    this.#full = full
  }

  get size(): number {
    return this.#evictor.size
  }

  tableOf({ id, policy }: Pick<Check, 'id' | 'policy'>): KeyTable {
    // Requests ask for the same policies in the same order, by the same texts: one or two comparisons find most tables.
    const latest = this.#latest
    if (latest !== undefined && latest.id === id) return latest
    const next = latest?.next
    const table = next !== undefined && next.id === id ? next : this.#anotherTable(id, policy)
    this.#latest = table
    return table
  }

  #anotherTable(id: string, policy: Policy): KeyTable {
    const table = this.tables.get(id) ?? new KeyTable(id, partsOf(policy).definition)
    this.tables.set(id, table)
    if (this.#latest !== undefined) this.#latest.next = table
    return table
  }

  /** Writes a state where its key lies; the state of a new key that finds no room becomes the one that all such keys share. */
  save(place: Place<KeyTable>, state: unknown, left = 0): void {
    const { slot, table, numbers, nowUs } = place
    if (slot < 0) {
      if (!this.#add(place, state)) table.share(state)
    } else {
      table.save(slot, state, numbers)
      // Most keys have room for more, before and after.
      if (left <= 0 || !table.evictionOrder.isOpen(slot)) table.note(slot, nowUs)
    }
  }

  /** Stores the state of a key that has none. Returns false if there is no room for it. */
  #add({ check, table, numbers, nowUs }: Place<KeyTable>, state: unknown): boolean {
    if (table.findBare(check.key) < 0 && !this.#room(nowUs)) return false
    const slot = table.add(check.key)
    table.save(slot, state, numbers)
    table.note(slot, nowUs)
    return true
  }

  /** If there is no room for the key, its new state is not kept: it counts in the state that all such keys share, as it is. */
  replace(place: Place<KeyTable>, state: unknown): void {
    const { check, table, nowUs } = place
    const block = table.blocks.of(check.key, nowUs)
    const count = table.blocks.countOf(check.key, nowUs)
    this.drop(check)
    if (block !== undefined) this.block(check, block, nowUs)
    else if (count !== undefined && this.#room(nowUs)) table.note(table.addBare(check.key), nowUs)
    if (count !== undefined && table.findBare(check.key) >= 0) table.blocks.count(check.key, count)
    if (state !== undefined && this.#add(place, state)) table.countAnew(check.key)
  }

  #room(nowUs: number): boolean {
    const isFree = this.#evictor.claim(nowUs)
    if (!isFree) this.#full()
    return isFree
  }

  /** A block takes the room of one key. A manual block always finds room; a penalty's block never displaces an exhausted key. */
  block(check: Check, block: Block, nowUs: number): void {
    const table = this.tableOf(check)
    const known = table.slotOf(check.key)
    if (known < 0 && !this.#room(nowUs) && !(block.byHand && this.#evictor.displace())) return
    const slot = known < 0 ? table.addBare(check.key) : known
    table.blocks.set(check.key, block)
    table.note(slot, nowUs)
  }

  unblock(check: Check, nowUs: number): void {
    const table = this.tableOf(check)
    table.blocks.delete(check.key)
    const bare = table.findBare(check.key)
    const slot = table.find(check.key)
    if (bare >= 0) this.#evictor.drop(table, bare)
    else if (slot >= 0) table.note(slot, nowUs)
  }

  drop(check: Check): void {
    const table = this.tableOf(check)
    const slot = table.slotOf(check.key)
    if (slot >= 0) this.#evictor.drop(table, slot)
  }
}
