import type { AnyStrategy } from '../strategies/definition.ts'
import { type Column, columnFor } from './column.ts'

/** Ends of blocks are few; states are many. */
interface Block {
  readonly untilUs: number
}

/** All keys of one (limiter, policy, strategy). A key has a slot; its state and the numbers that wrote it lie there. */
export class KeyTable {
  readonly definition: AnyStrategy
  readonly blocks: Map<string, Block> = new Map()
  /** The state that unknown keys share while no stored key may be dropped. */
  overflow: unknown
  readonly #slotOf = new Map<string, number>()
  readonly #column: Column
  readonly #keys: (string | undefined)[] = []
  readonly #numbers: unknown[] = []
  readonly #free: number[] = []

  constructor(definition: AnyStrategy) {
    this.definition = definition
    this.#column = columnFor(definition)
  }

  get size(): number {
    return this.#slotOf.size
  }

  /** Slots in use or free: where a sweep ends. */
  get slots(): number {
    return this.#keys.length
  }

  /** -1 where the key is unknown. */
  find(key: string): number {
    return this.#slotOf.get(key) ?? -1
  }

  load(slot: number): unknown {
    return this.#column.load(slot)
  }

  numbersAt(slot: number): unknown {
    return this.#numbers[slot]
  }

  inUse(slot: number): boolean {
    return this.#keys[slot] !== undefined
  }

  /** false once the slot was dropped, or given to another key. */
  holds(slot: number, key: string): boolean {
    return this.#keys[slot] === key
  }

  save(slot: number, state: unknown, numbers: unknown): void {
    this.#column.save(slot, state)
    this.#numbers[slot] = numbers
  }

  /** A slot for a key that has none. */
  add(key: string): number {
    const slot = this.#free.pop() ?? this.#keys.length
    this.#keys[slot] = key
    this.#slotOf.set(key, slot)
    return slot
  }

  drop(slot: number): void {
    const key = this.#keys[slot]
    if (key === undefined) return
    this.#slotOf.delete(key)
    this.#keys[slot] = undefined
    this.#numbers[slot] = undefined
    this.#column.clear(slot)
    this.#free.push(slot)
  }

  isIdle(slot: number, nowUs: number): boolean {
    return this.definition.idleUs(this.#numbers[slot], this.load(slot), nowUs) <= 0
  }

  /** Until a cost of 1 would be admitted; 0 when it would be now. */
  exhaustedUs(slot: number, nowUs: number): number {
    const key = this.#keys[slot]
    const block = key === undefined ? undefined : this.blocks.get(key)
    if (block !== undefined && block.untilUs > nowUs) return block.untilUs - nowUs
    const { allowed, retryAfterUs } = this.definition.look(this.#numbers[slot], this.load(slot), nowUs, 1)
    return allowed ? 0 : (retryAfterUs ?? Number.POSITIVE_INFINITY)
  }
}
