/** Numbers for names, so that counts can be kept in arrays. Names beyond `most` get none. */
export class Names {
  readonly #most: number
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#names.length
  }

  /** -1 if there are too many names. */
  numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    if (this.#names.length >= this.#most) return -1
    this.#numbers.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }

  nameOf(number: number): string {
    return this.#names[number] ?? ''
  }
}
