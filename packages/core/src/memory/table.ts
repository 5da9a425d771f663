import type { AnyStrategy } from '../strategies/definition.ts'
import { type Column, columnFor } from './column.ts'

/** Ends of blocks are few; states are many. */
interface Block {
  readonly untilUs: number
}

/** All keys of one (limiter, policy, strategy). A key has a slot; its state and the numbers that wrote it lie there. */
export class KeyTable {
  readonly id: string
  readonly definition: AnyStrategy
  readonly blocks: Map<string, Block> = new Map()
  /** The state that unknown keys share while no stored key may be dropped. */
  overflow: unknown
  readonly #slotOf = new Map<string, number>()
  readonly #column: Column
  readonly #keys: (string | undefined)[] = []
  /** The numbers that wrote each slot; one value while they have all been the same. */
  #numbers: unknown
  #eachNumbers: unknown[] | undefined
  readonly #free: number[] = []

  constructor(id: string, definition: AnyStrategy) {
    this.id = id
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

  /** How long a key stays blocked; 0 where it is not. */
  blockedUs(key: string, nowUs: number): number {
    return this.blocks.size === 0 ? 0 : this.#restOfBlock(key, nowUs)
  }

  #restOfBlock(key: string, nowUs: number): number {
    return Math.max(0, (this.blocks.get(key)?.untilUs ?? 0) - nowUs)
  }

  /** -1 where the key is unknown. */
  find(key: string): number {
    return this.#slotOf.get(key) ?? -1
  }

  /**
   * What a slot holds, repaired; nothing once its life is over, which other numbers could let it live longer than. An unknown
   * key's state is a copy of what all of them share, where they do. Good until the next call.
   */
  stateAt(slot: number, numbers: unknown, nowUs: number): unknown {
    if (slot < 0) return this.#sharedState(numbers, nowUs)
    const otherNumbers = this.#numbers !== numbers || this.#eachNumbers !== undefined
    if (otherNumbers && this.#numbersAt(slot) !== numbers && this.isIdle(slot, nowUs)) return undefined
    const state = this.#column.load(slot)
    const repaired: unknown = this.definition.repair?.(numbers, state, nowUs) ?? state
    if (repaired !== state) this.save(slot, repaired, numbers)
    return repaired
  }

  /** What a slot holds as it stands; nothing of a key that has none. */
  storedAt(slot: number): unknown {
    return slot < 0 ? undefined : this.#column.load(slot)
  }

  #sharedState(numbers: unknown, nowUs: number): unknown {
    if (this.overflow === undefined) return undefined
    if (this.definition.idleUs(numbers, this.overflow, nowUs) <= 0) this.overflow = undefined
    if (this.overflow === undefined) return undefined
    const copy: unknown = structuredClone(this.overflow)
    return this.definition.repair?.(numbers, copy, nowUs) ?? copy
  }

  #numbersAt(slot: number): unknown {
    return this.#eachNumbers === undefined ? this.#numbers : this.#eachNumbers[slot]
  }

  inUse(slot: number): boolean {
    return this.#keys[slot] !== undefined
  }

  save(slot: number, state: unknown, numbers: unknown): void {
    this.#column.save(slot, state)
    if (this.#eachNumbers !== undefined || this.#numbers !== numbers) this.#noteNumbers(slot, numbers)
  }

  #noteNumbers(slot: number, numbers: unknown): void {
    if (this.#numbers === undefined) {
      this.#numbers = numbers
    } else {
      this.#eachNumbers ??= new Array(this.slots).fill(this.#numbers)
      this.#eachNumbers[slot] = numbers
    }
  }

  /** A slot for a key that has none. */
  add(key: string): number {
    const slot = this.#free.pop() ?? this.#keys.length
    this.#keys[slot] = key
    this.#slotOf.set(key, slot)
    this.#column.reserve(slot)
    return slot
  }

  drop(slot: number): void {
    const key = this.#keys[slot]
    if (key === undefined) return
    this.#slotOf.delete(key)
    this.#keys[slot] = undefined
    this.#column.clear(slot)
    this.#free.push(slot)
  }

  isIdle(slot: number, nowUs: number): boolean {
    return this.definition.idleUs(this.#numbersAt(slot), this.#column.load(slot), nowUs) <= 0
  }

  /** Until a cost of 1 would be admitted; 0 when it would be now. */
  exhaustedUs(slot: number, nowUs: number): number {
    const key = this.#keys[slot]
    const blockedUs = key === undefined ? 0 : this.blockedUs(key, nowUs)
    if (blockedUs > 0) return blockedUs
    const { allowed, retryAfterUs } = this.definition.look(
      this.#numbersAt(slot),
      this.#column.load(slot),
      nowUs,
      1,
    )
    return allowed ? 0 : (retryAfterUs ?? Number.POSITIVE_INFINITY)
  }
}
