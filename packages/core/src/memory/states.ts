import type { Check } from '../store.ts'
import type { AnyStrategy } from '../strategies/definition.ts'
import type { Block, Blocks } from './blocks.ts'

/** States of one (limiter, policy, strategy), by slot. */
export interface StateTable {
  readonly definition: AnyStrategy
  readonly blocks: Pick<Blocks, 'restUs' | 'of' | 'countOf' | 'count'>
  /** The slot of the key's state; -1: it has none. */
  find(key: string): number
  /** The same for a key that was found in `slot`, which may be another key's by now. */
  findAgain(key: string, slot: number): number
  /** The state, repaired; good until the next call. */
  stateAt(slot: number, numbers: unknown, nowUs: number): unknown
  /** The state as it was written, of a slot that has one. */
  storedAt(slot: number): unknown
  /** Writes a state after a refund, which may have changed it in place. It keeps the numbers that wrote it, and lives no longer than before. */
  amend(slot: number, state: unknown, by: Pick<Place, 'numbers' | 'nowUs'>): void
  /** The era of the key, which receipts name: a reset, a set or a drop begins a new one. '' if no receipt has to tell it from another. */
  eraOf(key: string): string
  /** Tells the table that the state may have been changed in place. */
  note(slot: number, nowUs: number): void
}

/** The table and the slot of a check's key. */
export interface Place<T extends StateTable = StateTable> {
  readonly check: Check
  /** The policy's. */
  readonly numbers: unknown
  readonly table: T
  /** -1: the key is unknown. */
  readonly slot: number
  readonly nowUs: number
}

/** All states that a call may read and write: those in this process's memory, or those of one transaction. */
export interface States<T extends StateTable = StateTable> {
  tableOf(check: Check): T
  /** `left`: units that a take has left; 0 where that is not known. */
  save(place: Place<T>, state: unknown, left?: number): void
  /** Replaces what the key has counted; undefined removes it. A block stays. */
  replace(place: Place<T>, state: unknown): void
  block(check: Check, block: Block, nowUs: number): void
  unblock(check: Check, nowUs: number): void
  /** Removes the key: its state, its block and the count of its blocks. */
  drop(check: Check): void
}
