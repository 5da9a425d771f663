/** What every connection needs beyond an address. */
export interface Access {
  readonly username?: string | undefined
  /** Asked at each connection; never throws. */
  readonly password?: (() => string | undefined) | undefined
  readonly tls?: object | undefined
}

/** What differs in a further connection of ioredis. */
export interface Settings {
  /** undefined: its caller ends it where it is silent for too long. A timer of the client would end it after a pause of this process, too. */
  readonly socketTimeout: undefined
}

/** Where to find one master. */
export interface Watched {
  readonly sentinels: readonly string[]
  readonly master: string
}

/** What a client of our own is made for: one server, some servers of a cluster, or a master that Sentinels watch. */
export type Place = { readonly url: string } | { readonly cluster: readonly string[] } | Watched

/** Wraps a function that returns a secret. Where it throws, its last answer holds, as an attempt to connect would end for good. */
export function lasting(secret: () => string): () => string | undefined {
  let last: string | undefined
  return () => {
    try {
      last = secret()
    } catch {
      // The server accepts the last answer or refuses it.
    }
    return last
  }
}
