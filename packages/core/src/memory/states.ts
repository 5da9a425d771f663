import type { Check } from '../store.ts'
import type { AnyStrategy } from '../strategies/definition.ts'
import type { Block, Blocks } from './blocks.ts'

/** States of one (limiter, policy, strategy), by slot. */
export interface StateTable {
  readonly definition: AnyStrategy
  readonly blocks: Pick<Blocks, 'restUs' | 'of' | 'countOf' | 'count'>
  /** -1: the key has no state. */
  find(key: string): number
  /** The same for a key that was found in a slot, which may be another's by now. */
  findAgain(key: string, slot: number): number
  /** The state, repaired; good until the next call. */
  stateAt(slot: number, numbers: unknown, nowUs: number): unknown
  /** The state as it was written, of a slot that has one. */
  storedAt(slot: number): unknown
  /** Writes a state after a refund, which may have changed it in place. It keeps the numbers that wrote it, and lives no longer than before. */
  amend(slot: number, state: unknown, by: Pick<Place, 'numbers' | 'nowUs'>): void
  /** Which count of a key its state is, or would be: one that was reset, set or dropped begins anew. '' where nobody has to know. */
  eraOf(key: string): string
  /** The state may have been changed in place. */
  note(slot: number, nowUs: number): void
}

/** Where a check's key lies, or would. */
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
  /** What the key has counted goes; undefined: nothing takes its place. A block stays. */
  replace(place: Place<T>, state: unknown): void
  block(check: Check, block: Block, nowUs: number): void
  unblock(check: Check, nowUs: number): void
  /** Forgets all of a key. */
  drop(check: Check): void
}
