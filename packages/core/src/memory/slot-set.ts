/** An unordered set of slots, one bit each: adding, removing and picking one takes as many steps as their number has digits in base 32. */
export class SlotSet {
  /** Level 0 has a bit for each slot; any other has a bit for each word of the level before that is not 0; the last is one word. */
  #levels: readonly Int32Array[] = [new Int32Array(1)]

  /** Any slot of the set; -1: it is empty. */
  get any(): number {
    let place = 0
    for (let i = this.#levels.length - 1; i >= 0; i--) {
      const word = this.#levels[i]?.[place] ?? 0
      if (word === 0) return -1
      place = place * 32 + 31 - Math.clz32(word)
    }
    return place
  }

  has(slot: number): boolean {
    return (((this.#levels[0]?.[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1
  }

  add(slot: number): void {
    if (slot >>> 5 >= (this.#levels[0]?.length ?? 0)) this.#grow(slot)
    let place = slot
    for (const level of this.#levels) {
      const word = level[place >>> 5] ?? 0
      level[place >>> 5] = word | (1 << (place & 31))
      if (word !== 0) return
      place >>>= 5
    }
  }

  /** Does nothing if the slot is not in the set. */
  remove(slot: number): void {
    if (!this.has(slot)) return
    let place = slot
    for (const level of this.#levels) {
      const word = (level[place >>> 5] ?? 0) & ~(1 << (place & 31))
      level[place >>> 5] = word
      if (word !== 0) return
      place >>>= 5
    }
  }

  #grow(slot: number): void {
    const levels: Int32Array[] = []
    let length = 2 * (slot >>> 5)
    let below: Int32Array | undefined
    while (below === undefined || below.length > 1) {
      const level: Int32Array = new Int32Array(length)
      const old = this.#levels[levels.length]
      if (old !== undefined) level.set(old)
      // The level is new: all slots so far are in the first word of the level below.
      else if (below !== undefined && below[0] !== 0) level[0] = 1
      levels.push(level)
      below = level
      length = Math.ceil(length / 32)
    }
    this.#levels = levels
  }
}
