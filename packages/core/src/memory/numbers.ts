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
