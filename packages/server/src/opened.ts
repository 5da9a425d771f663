interface Closable {
  close(): unknown
}

/** Everything that has been opened. It is closed in the opposite order. */
export class Opened {
  readonly #all: Closable[] = []

  add<T extends Closable | undefined>(opened: T): T {
    if (opened !== undefined) this.#all.push(opened)
    return opened
  }

  async close(): Promise<void> {
    for (const opened of this.#all.splice(0).reverse()) await opened.close()
  }
}
