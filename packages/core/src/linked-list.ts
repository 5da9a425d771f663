/** An item of one list. */
export interface Linked<Item> {
  previous: Item | undefined
  next: Item | undefined
}

/**
 * Items in the order in which they were added; any of them leaves at once. A Map keeps an order too, but to find its first key costs
 * as much as there were keys before it that have been deleted.
 */
export class LinkedList<Item extends Linked<Item>> {
  #first: Item | undefined
  #last: Item | undefined

  get first(): Item | undefined {
    return this.#first
  }

  get last(): Item | undefined {
    return this.#last
  }

  /** At the end. */
  add(item: Item): void {
    item.previous = this.#last
    if (this.#last === undefined) this.#first = item
    else this.#last.next = item
    this.#last = item
  }

  /** Behind `other`; undefined: at the beginning. */
  addBehind(other: Item | undefined, item: Item): void {
    if (other === this.#last) {
      this.add(item)
      return
    }
    const next = other === undefined ? this.#first : other.next
    item.previous = other
    item.next = next
    if (other === undefined) this.#first = item
    else other.next = item
    if (next !== undefined) next.previous = item
  }

  remove(item: Item): void {
    const { previous, next } = item
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    item.previous = undefined
    item.next = undefined
  }

  clear(): void {
    this.#first = undefined
    this.#last = undefined
  }
}
