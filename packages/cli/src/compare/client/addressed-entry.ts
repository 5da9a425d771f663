import type { Entry } from '../log/entry.ts'

/** An entry with the client's address as its field `ip`. */
export class AddressedEntry implements Entry {
  readonly #entry: Entry
  readonly #ip: string | undefined
  #lacks: string | undefined

  constructor(entry: Entry, ip: string | undefined) {
    this.#entry = entry
    this.#ip = ip
  }

  get atUs(): number {
    return this.#entry.atUs
  }

  /** The first field that was asked for and is not there. */
  get lacks(): string | undefined {
    return this.#lacks
  }

  field(name: string): string | undefined {
    const value = name === 'ip' ? this.#ip : this.#entry.field(name)
    if (value === undefined) this.#lacks ??= name
    return value
  }
}
