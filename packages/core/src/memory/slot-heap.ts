/** An array of numbers with room for one more place: it grows by a quarter, as unused room costs as much as used room. */
function roomFor(values: Int32Array<ArrayBuffer>, place: number): Int32Array<ArrayBuffer> {
  if (place < values.length) return values
  const larger = new Int32Array(Math.ceil(place * 1.25) + 16)
  larger.set(values)
  return larger
}

/** The first arrays of every heap: most heaps never hold a slot. */
const noSlots = new Int32Array()
const noTimes = new Float64Array()

/** A heap of slots by an instant, the soonest first: adding, moving and removing one takes logarithmic time. */
export class SlotHeap {
  /** By slot: its place in the heap, counted from 1; 0: it is not in the heap. */
  #places = noSlots
  #slots = noSlots
  /** By place: the instant of its slot. */
  #atUs = noTimes
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The slot with the soonest instant; -1: there is none. */
  get first(): number {
    return this.#size === 0 ? -1 : (this.#slots[0] ?? -1)
  }

  get firstUs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#atUs[0] ?? 0)
  }

  /** Adds the slot, or moves it if it is in the heap already. */
  set(slot: number, atUs: number): void {
    let place = (this.#places[slot] ?? 0) - 1
    if (place < 0) {
      this.#grow(slot)
      place = this.#size++
    }
    this.#sift(slot, atUs, place)
  }

  /** Does nothing if the slot is not in the heap. */
  remove(slot: number): void {
    const place = (this.#places[slot] ?? 0) - 1
    if (place < 0) return
    this.#places[slot] = 0
    this.#size--
    if (place === this.#size) return
    this.#sift(this.#slots[this.#size] ?? -1, this.#atUs[this.#size] ?? 0, place)
  }

  #grow(slot: number): void {
    this.#places = roomFor(this.#places, slot)
    this.#slots = roomFor(this.#slots, this.#size)
    if (this.#size < this.#atUs.length) return
    const larger = new Float64Array(this.#slots.length)
    larger.set(this.#atUs)
    this.#atUs = larger
  }

  /** Puts the slot where its instant belongs, starting from a place that is free. */
  #sift(slot: number, atUs: number, from: number): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      if (this.#timeAt(above) <= atUs) break
      this.#put(this.#slots[above] ?? -1, this.#timeAt(above), place)
      place = above
    }
    for (;;) {
      const left = 2 * place + 1
      const least = this.#timeAt(left + 1) < this.#timeAt(left) ? left + 1 : left
      if (this.#timeAt(least) >= atUs) break
      this.#put(this.#slots[least] ?? -1, this.#timeAt(least), place)
      place = least
    }
    this.#put(slot, atUs, place)
  }

  /** Infinity behind the last place. */
  #timeAt(place: number): number {
    return place < this.#size ? (this.#atUs[place] ?? 0) : Number.POSITIVE_INFINITY
  }

  #put(slot: number, atUs: number, place: number): void {
    this.#slots[place] = slot
    this.#atUs[place] = atUs
    this.#places[slot] = place + 1
  }
}
