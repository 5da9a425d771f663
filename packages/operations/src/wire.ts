import type { PolicyData } from './policy-data.ts'

/** A key that was refused, or is near its limit. */
export interface SeenKey {
  readonly key: string | readonly string[]
  /** The key is longer. */
  readonly cut?: true
  readonly refused?: number
  readonly used?: number
  readonly limit?: number
}

/** What a process has decided in about the last five seconds. */
export interface SeenPolicy {
  readonly limiter: string
  readonly policy: string
  readonly admitted: number
  readonly refused: number
  readonly top: readonly SeenKey[]
  readonly near: readonly SeenKey[]
}

/** A policy as a process has it. */
export interface DescribedPolicy {
  readonly name: string
  /** In words: `100 in 1 min`. */
  readonly rule: string
  readonly strategy: string
  readonly tag: number | null
  /** It refuses nobody. */
  readonly shadow: boolean
  /** null where it cannot be made anew elsewhere. */
  readonly data: PolicyData | null
}

/** A limiter as a process has it. */
export interface DescribedLimiter {
  readonly name: string
  readonly store: string
  /** null where it does not count in Redis. */
  readonly prefix: string | null
  /** null for a tree of limits. */
  readonly policies: readonly DescribedPolicy[] | null
  /** Its keys are networks of clients, with that many bits of an IPv6 address; null: they may be anything. */
  readonly networkBits: number | null
  /** It obeys the lists of operations. */
  readonly listed: boolean
  /** It obeys other lists too, which only its own process knows. */
  readonly ownLists: boolean
}

/** What a process tells of itself. */
export interface Description {
  readonly service: string
  readonly pid: number
  readonly startedMs: number
  readonly limiters: readonly DescribedLimiter[]
  /** Limiters that did not fit. */
  readonly cut: number
}

/** What changes from second to second. */
export interface SeenText {
  readonly atMs: number
  /** Over how long the policies' numbers were counted. */
  readonly overMs: number
  readonly policies: readonly SeenPolicy[]
  readonly cut: number
  /** Limiters whose store does not answer. */
  readonly away: readonly string[]
}
