/** First in, first out, for at most `size` at once, in constant time. */
export class Ring<T> {
  readonly #size: number
  readonly #items: (T | undefined)[] = []
  #head = 0
  #length = 0

  constructor(size: number) {
    this.#size = size
  }

  get length(): number {
    return this.#length
  }

  push(item: T): void {
    this.#items[(this.#head + this.#length) % this.#size] = item
    this.#length++
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head] = undefined
    this.#head = (this.#head + 1) % this.#size
    this.#length--
    return item
  }
}
