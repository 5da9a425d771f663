/** What every connection needs beyond an address. */
export interface Access {
  readonly username?: string | undefined
  /** Asked at each connection; never throws. */
  readonly password?: (() => string | undefined) | undefined
  readonly tls?: object | undefined
}

/** Where to find one master. */
export interface Watched {
  readonly sentinels: readonly string[]
  readonly master: string
}

/** A secret by a function: where that throws, an attempt would end for good, so what it answered last holds instead. */
export function lasting(secret: () => string): () => string | undefined {
  let last: string | undefined
  return () => {
    try {
      last = secret()
    } catch {
      // The server says what it thinks of the last one.
    }
    return last
  }
}
