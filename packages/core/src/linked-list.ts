export interface Linked<Item> {
  previous: Item | undefined
  next: Item | undefined
}

/**
 * Items in the order in which they were added; any of them leaves at once. A Map keeps an order too, but the time to find its first key
 * grows with the number of deleted keys before it.
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

  /** Adds an item at the end. */
  add(item: Item): void {
    item.previous = this.#last
    if (this.#last === undefined) this.#first = item
    else this.#last.next = item
    this.#last = item
  }

  /** Adds an item behind `other`; undefined: at the beginning. */
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

/** An item that is kept for a key of a limiter's policy. */
export interface Keyed<Item> extends Linked<Item> {
  readonly id: string
  readonly key: string
}

/** Items by policy and key, one of each, in the order in which they were put. */
export class KeyedList<Item extends Keyed<Item>> {
  readonly #byId = new Map<string, Map<string, Item>>()
  readonly #inOrder = new LinkedList<Item>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): Item | undefined {
    return this.#inOrder.first
  }

  get last(): Item | undefined {
    return this.#inOrder.last
  }

  get({ id, key }: Pick<Item, 'id' | 'key'>): Item | undefined {
    return this.#size === 0 ? undefined : this.#byId.get(id)?.get(key)
  }

  /** Adds an item at the end, in place of the one that its key had. */
  put(item: Item): void {
    this.drop(this.get(item))
    let keys = this.#byId.get(item.id)
    if (keys === undefined) {
      keys = new Map()
      this.#byId.set(item.id, keys)
    }
    keys.set(item.key, item)
    this.#inOrder.add(item)
    this.#size++
  }

  drop(item: Item | undefined): void {
    if (item === undefined) return
    this.#byId.get(item.id)?.delete(item.key)
    this.#inOrder.remove(item)
    this.#size--
  }

  dropOf(id: string): void {
    for (const item of this.#byId.get(id)?.values() ?? []) this.drop(item)
  }

  clear(): void {
    this.#byId.clear()
    this.#inOrder.clear()
    this.#size = 0
  }

  /** Moves an item to the end. */
  putOff(item: Item): void {
    this.#inOrder.remove(item)
    this.#inOrder.add(item)
  }
}
