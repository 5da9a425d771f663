import type { Policy } from '../policy.ts'
import type { Check } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { Room } from './room.ts'
import { KeyTable } from './table.ts'

/** Where a check's key lies, or would. */
export interface Place {
  readonly check: Check
  /** The policy's. */
  readonly numbers: unknown
  readonly table: KeyTable
  /** -1: the key is unknown. */
  readonly slot: number
  readonly nowUs: number
}

/** All keys of a memory store: a table for each (limiter, policy, strategy), and the room that they share. */
export class Keys {
  readonly #tables = new Map<string, KeyTable>()
  readonly #list: KeyTable[] = []
  readonly #room: Room
  readonly #full: () => void
  #latest: KeyTable | undefined

  /** `full` is called when an unknown key finds no room. */
  constructor(maxKeys: number, full: () => void) {
    this.#room = new Room(this.#list, maxKeys)
    this.#full = full
  }

  get size(): number {
    return this.#room.size
  }

  tableOf({ id, policy }: Check): KeyTable {
    // The ids of a limiter are the same texts in every call: one comparison finds most tables.
    const latest = this.#latest
    return latest !== undefined && latest.id === id ? latest : this.#anotherTable(id, policy)
  }

  #anotherTable(id: string, policy: Policy): KeyTable {
    let table = this.#tables.get(id)
    if (table === undefined) {
      table = new KeyTable(id, partsOf(policy).definition)
      this.#tables.set(id, table)
      this.#list.push(table)
    }
    this.#latest = table
    return table
  }

  /** Writes a state where its key lies; a new key that finds no room goes into the bucket that all such keys share. */
  save(place: Place, state: unknown): void {
    if (place.slot < 0) this.#saveAnew(place, state)
    else place.table.save(place.slot, state, place.numbers)
  }

  #saveAnew({ check, numbers, table, nowUs }: Place, state: unknown): void {
    if (this.#room.claim(nowUs)) {
      table.save(table.add(check.key), state, numbers)
    } else {
      table.overflow = state
      this.#full()
    }
  }

  drop(table: KeyTable, slot: number): void {
    this.#room.drop(table, slot)
  }

  /** A key was given something back: it may no longer be exhausted. */
  loosen(): void {
    this.#room.loosen()
  }
}
