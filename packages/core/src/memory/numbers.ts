/** The numbers that wrote each slot: one value while they have all been the same. */
export class SlotNumbers {
  #all: unknown
  #each: unknown[] | undefined

  /** true where a slot may have been written by other numbers than these. */
  differ(numbers: unknown): boolean {
    return this.#each !== undefined || this.#all !== numbers
  }

  at(slot: number): unknown {
    return this.#each === undefined ? this.#all : this.#each[slot]
  }

  /** `slots`: how many there are, of which those before have been written by what was the same for all. */
  note(slot: number, numbers: unknown, slots: number): void {
    if (this.#all === undefined) {
      this.#all = numbers
    } else {
      this.#each ??= new Array(slots).fill(this.#all)
      this.#each[slot] = numbers
    }
  }
}
