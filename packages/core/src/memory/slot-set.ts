/** Slots in no order, a bit for each: put in, taken out and picked in as many steps as their number has digits to the base of 32. */
export class SlotSet {
  /** A bit for each slot; then, level by level, a bit for each word of the level before that has one, until one word is left. */
  #levels: readonly Int32Array[] = [new Int32Array(1)]

  /** Any of them; -1: there is none. */
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

  /** What is not there is left as it is. */
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
      // A new level: all that there was is in the first word of the one below.
      else if (below !== undefined && below[0] !== 0) level[0] = 1
      levels.push(level)
      below = level
      length = Math.ceil(length / 32)
    }
    this.#levels = levels
  }
}
