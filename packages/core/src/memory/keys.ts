import type { Check } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import { Room } from './room.ts'
import { KeyTable } from './table.ts'

/** Where a check's key lies, or would. */
interface Place {
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

  /**
   * What a slot holds, repaired; nothing once its life is over, which other numbers could let it live longer than. An unknown
   * key's state is what all of them share, where they do.
   */
  stateAt(table: KeyTable, slot: number, { numbers, nowUs }: { numbers: unknown; nowUs: number }): unknown {
    if (slot < 0) return table.overflow === undefined ? undefined : this.#shared(table, { numbers, nowUs })
    const state = table.load(slot)
    const written = table.numbersAt(slot)
    if (written !== numbers && table.definition.idleUs(written, state, nowUs) <= 0) return undefined
    const repaired: unknown = table.definition.repair?.(numbers, state, nowUs) ?? state
    if (repaired !== state) table.save(slot, repaired, numbers)
    return repaired
  }

  #shared(table: KeyTable, { numbers, nowUs }: { numbers: unknown; nowUs: number }): unknown {
    const { definition, overflow } = table
    if (definition.idleUs(numbers, overflow, nowUs) <= 0) table.overflow = undefined
    return table.overflow === undefined
      ? undefined
      : (definition.repair?.(numbers, overflow, nowUs) ?? overflow)
  }

  /** A state to change: a copy where it is shared, as what comes of it may be one key's own. */
  own(slot: number, state: unknown): unknown {
    return slot < 0 && state !== undefined ? structuredClone(state) : state
  }

  /** Writes a state where its key lies; a new key that finds no room goes into the bucket that all such keys share. */
  save({ check, table, slot, nowUs }: Place, state: unknown): void {
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
