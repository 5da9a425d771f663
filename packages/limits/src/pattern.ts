/** A name with stars, each of which stands for any text, also for none. */
export class Pattern {
  readonly #first: string
  readonly #middle: readonly string[]
  readonly #last: string
  readonly #shortest: number

  constructor(text: string) {
    const [first = '', ...others] = text.split('*')
    this.#first = first
    this.#last = others.pop() ?? ''
    this.#middle = others.filter((part) => part !== '')
    this.#shortest = text.replaceAll('*', '').length
  }

  matches(name: string): boolean {
    if (name.length < this.#shortest || !name.startsWith(this.#first) || !name.endsWith(this.#last))
      return false
    const end = name.length - this.#last.length
    let from = this.#first.length
    // The earliest place of each part leaves the most room for those behind it.
    for (const part of this.#middle) {
      const at = name.indexOf(part, from)
      if (at < 0 || at + part.length > end) return false
      from = at + part.length
    }
    return true
  }
}
