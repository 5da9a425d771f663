import type { AnyStrategy, Packed } from '../strategies/definition.ts'

/** Where the states of one strategy lie, by slot. */
export interface Column {
  /** Good until the next load. */
  load(slot: number): unknown
  save(slot: number, state: unknown): void
  clear(slot: number): void
  /** Makes room; called before the first save into a slot. */
  reserve(slot: number): void
  /** The array of all states, each of `packed.width` numbers; undefined if this slot's state is more than numbers. */
  values(slot: number): Float64Array | undefined
}

/** States of numbers only, side by side in one typed array: 8 bytes a number. */
class PackedColumn implements Column {
  readonly #packed: Packed<unknown>
  readonly #state: unknown
  #values: Float64Array
  /** By slot: what the few states with a `rest` have beside numbers. undefined while none had any: then `#state` has no old rest either. */
  #rests: Map<number, unknown> | undefined

  constructor(packed: Packed<unknown>) {
    this.#packed = packed
    this.#state = packed.blank()
    this.#values = new Float64Array(16 * packed.width)
  }

  values(slot: number): Float64Array | undefined {
    return this.#rests?.has(slot) ? undefined : this.#values
  }

  load(slot: number): unknown {
    const { width, rest } = this.#packed
    this.#packed.load(this.#values, slot * width, this.#state)
    if (this.#rests !== undefined) rest?.into(this.#state, this.#rests.get(slot))
    return this.#state
  }

  save(slot: number, state: unknown): void {
    const { width, rest } = this.#packed
    this.#packed.save(this.#values, slot * width, state)
    const more = rest?.of(state)
    if (more === undefined) {
      this.clear(slot)
    } else {
      this.#rests ??= new Map()
      this.#rests.set(slot, more)
    }
  }

  clear(slot: number): void {
    this.#rests?.delete(slot)
  }

  /** Grows by a quarter: unused room costs as much as used room. */
  reserve(slot: number): void {
    const { width } = this.#packed
    const at = slot * width
    if (at < this.#values.length) return
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

  values(): undefined {}

  reserve(): void {}
}

export function columnFor(definition: AnyStrategy): Column {
  return definition.packed === undefined ? new ObjectColumn() : new PackedColumn(definition.packed)
}

/** For each slot, the numbers of the policy that wrote it: one value while they are the same for all slots. */
export class SlotNumbers {
  #all: unknown
  #each: unknown[] | undefined

  /** Whether any slot may have been written by other numbers than these. */
  differ(numbers: unknown): boolean {
    return this.#each !== undefined || this.#all !== numbers
  }

  at(slot: number): unknown {
    return this.#each === undefined ? this.#all : this.#each[slot]
  }

  /** `slots`: how many slots there are. When numbers differ for the first time, all slots get those that were common until then. */
  note(slot: number, numbers: unknown, slots: number): void {
    if (this.#all === undefined) {
      this.#all = numbers
    } else {
      this.#each ??= new Array(slots).fill(this.#all)
      this.#each[slot] = numbers
    }
  }
}
