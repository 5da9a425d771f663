/** One request, as policies are asked about it. */
export interface Request {
  /** Unix time. */
  readonly atUs: number
  /** Who asks: whose refusals are counted. */
  readonly client: string
  /** Whose count it is at a policy; the client, unless policies count something else. */
  readonly key: string
  readonly cost: number
  /** What a file of limits is asked; empty where there is none. */
  readonly path: readonly string[]
}

/** Requests in the order of their times, many at once. */
export type Requests = AsyncIterable<readonly Request[]>
