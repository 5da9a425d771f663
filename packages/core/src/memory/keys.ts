import type { Check } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { Room } from './room.ts'
import { KeyTable } from './table.ts'

/** Where a check's key lies, or would. */
export interface Place {
  readonly check: Check
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

  /** `full` is called when an unknown key finds no room. */
  constructor(maxKeys: number, full: () => void) {
    this.#room = new Room(this.#list, maxKeys)
    this.#full = full
  }

  get size(): number {
    return this.#room.size
  }

  tableOf(check: Check): KeyTable {
    const table = this.#tables.get(check.id)
    if (table !== undefined) return table
    const fresh = new KeyTable(partsOf(check.policy).definition)
    this.#tables.set(check.id, fresh)
    this.#list.push(fresh)
    return fresh
  }

  /** What a slot holds, repaired. */
  stateAt(table: KeyTable, slot: number, { numbers, nowUs }: { numbers: unknown; nowUs: number }): unknown {
    const state = table.load(slot)
    const repaired: unknown = table.definition.repair?.(numbers, state, nowUs) ?? state
    if (repaired !== state) table.save(slot, repaired, numbers)
    return repaired
  }

  /** Writes a state where its key lies; a new key that finds no room goes into the bucket that all such keys share. */
  save(
    { check, table, slot, nowUs }: { check: Check; table: KeyTable; slot: number; nowUs: number },
    state: unknown,
  ): void {
    const { numbers } = partsOf(check.policy)
    if (slot >= 0 && table.holds(slot, check.key)) {
      table.save(slot, state, numbers)
    } else if (this.#room.claim(nowUs)) {
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
