/** One request to check. */
export interface Request {
  /** Unix time. */
  readonly atUs: number
  /** The client whose refusals are reported. */
  readonly client: string
  /** The key that policies count by: the client, or something else. */
  readonly key: string
  readonly cost: number
  /** The path for a file of limits; empty if there is none. */
  readonly path: readonly string[]
}

/** Requests in the order of their times, in batches. */
export type Requests = AsyncIterable<readonly Request[]>
