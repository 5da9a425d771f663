import type { AnyStrategy, Packed } from '../strategies/definition.ts'

/** Where the states of one strategy lie, by slot. */
export interface Column {
  load(slot: number): unknown
  save(slot: number, state: unknown): void
  clear(slot: number): void
}

/** States of numbers only, side by side in one typed array: 8 bytes a number. */
class PackedColumn implements Column {
  readonly #packed: Packed<unknown>
  #values: Float64Array

  constructor(packed: Packed<unknown>) {
    this.#packed = packed
    this.#values = new Float64Array(16 * packed.width)
  }

  load(slot: number): unknown {
    return this.#packed.load(this.#values, slot * this.#packed.width)
  }

  save(slot: number, state: unknown): void {
    const at = slot * this.#packed.width
    if (at >= this.#values.length) this.#grow(at)
    this.#packed.save(this.#values, at, state)
  }

  clear(): void {}

  /** By a quarter: room that nobody uses costs as much as room that somebody does. */
  #grow(at: number): void {
    const { width } = this.#packed
    const larger = new Float64Array(Math.ceil((at * 1.25) / width + 16) * width)
    larger.set(this.#values)
    this.#values = larger
  }
}

class ObjectColumn implements Column {
  readonly #states: unknown[] = []

  load(slot: number): unknown {
    return this.#states[slot]
  }

  save(slot: number, state: unknown): void {
    this.#states[slot] = state
  }

  clear(slot: number): void {
    this.#states[slot] = undefined
  }
}

export function columnFor(definition: AnyStrategy): Column {
  return definition.packed === undefined ? new ObjectColumn() : new PackedColumn(definition.packed)
}
