/** An array of numbers with room for one more place: it grows by a quarter, as unused room costs as much as used room. */
export function roomFor(values: Int32Array<ArrayBuffer>, place: number): Int32Array<ArrayBuffer> {
  if (place < values.length) return values
  const larger = new Int32Array(Math.ceil(place * 1.25) + 16)
  larger.set(values)
  return larger
}

/** Slots in no order: put in, taken out and picked in constant time, at 8 bytes each. */
export class SlotList {
  /** By slot: its place in the list, counted from 1; 0: it is not there. */
  #places = new Int32Array(16)
  #slots = new Int32Array(16)
  #size = 0

  /** Any of them; -1: there is none. */
  get any(): number {
    return this.#size === 0 ? -1 : (this.#slots[this.#size - 1] ?? -1)
  }

  has(slot: number): boolean {
    return (this.#places[slot] ?? 0) > 0
  }

  add(slot: number): void {
    this.#places = roomFor(this.#places, slot)
    this.#slots = roomFor(this.#slots, this.#size)
    this.#slots[this.#size] = slot
    this.#places[slot] = ++this.#size
  }

  /** What is not there is left as it is. */
  remove(slot: number): void {
    const place = this.#places[slot] ?? 0
    if (place === 0) return
    const last = this.any
    this.#slots[place - 1] = last
    this.#places[last] = place
    this.#places[slot] = 0
    this.#size--
  }
}
