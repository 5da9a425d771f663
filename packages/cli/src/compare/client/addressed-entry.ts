import type { Entry } from '../log/entry.ts'

/** An entry with the client's address as its field `ip`. */
export class AddressedEntry implements Entry {
  readonly #entry: Entry
  readonly #ip: string | undefined

  constructor(entry: Entry, ip: string | undefined) {
    this.#entry = entry
    this.#ip = ip
  }

  get atUs(): number {
    return this.#entry.atUs
  }

  field(name: string): string | undefined {
    return name === 'ip' ? this.#ip : this.#entry.field(name)
  }
}
