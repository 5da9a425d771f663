import type { Redis } from 'ioredis'
import type { createClient } from 'redis'

export type ClientName = 'ioredis' | 'ioredis with enableAutoPipelining' | 'node-redis'
export type Form = 'esm' | 'cjs'

/** Where counts are kept. */
export type Place =
  | { readonly kind: 'memory' }
  | { readonly kind: 'ioredis'; readonly client: Redis }
  | { readonly kind: 'node-redis'; readonly client: ReturnType<typeof createClient> }

/** What a limiter is asked. */
export interface Work {
  /** `raw`: the least that counts, in place of a limiter. */
  readonly strategy: 'counter' | 'gcra' | 'raw'
  /** Policies on one request. @default 1 */
  readonly policies?: number
  /** How many keys take turns. */
  readonly keys: number
  /** IPv6 addresses: their keys have colons. @default false */
  readonly addresses?: boolean
  /** The limit is so low that every check is refused. @default false */
  readonly refused?: boolean
}

/** One limiter, as its users ask it. */
export interface Asker {
  ask(key: string): unknown
  /** Whether it is the answer that the work is to get; a promise that was rejected gives its reason. */
  isRight(answer: unknown): boolean
}

/** Makes a limiter of one library; undefined where the library has none for such work. */
export type MakeAsker = (place: Place, work: Work) => Promise<Asker | undefined>

/** So wide that a run never reaches it. */
export const wideLimit = 1_000_000_000
/** So long that no window ends in a run. */
export const windowMs = 3_600_000
