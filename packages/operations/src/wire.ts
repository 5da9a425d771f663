import type { PolicyData } from './policy-data.ts'

/** A key that was refused, or is near its limit. */
export interface SeenKey {
  readonly key: string | readonly string[]
  /** Whether the key is longer. */
  readonly cut?: true
  readonly refused?: number
  readonly used?: number
  readonly limit?: number
}

/** What a policy of a process has decided in about the last five seconds. */
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
  /** The rule in words: `100 in 1 min`. */
  readonly rule: string
  readonly strategy: string
  readonly tag: number | null
  /** Whether it refuses nobody. */
  readonly shadow: boolean
  /** The policy as data; null if another process cannot make it anew. */
  readonly data: PolicyData | null
  /** Its own rule in words, while another is in force in its place. */
  readonly own?: string
}

/** A limit that can be changed while it runs, as a process has it. */
export interface DescribedLimit {
  readonly name: string
  /** Its own rule in words: `100 in 1 min`. */
  readonly rule: string
  /** The rule that is in force in its place; null: none. */
  readonly now: string | null
  /** Its own policy as data; null if another process cannot make it anew. */
  readonly data: PolicyData | null
  /** Why a change is not in force in this process. */
  readonly problem: string | null
}

/** A limiter as a process has it. */
export interface DescribedLimiter {
  readonly name: string
  readonly store: string
  /** null if it does not count in Redis. */
  readonly prefix: string | null
  /** null for a tree of limits. */
  readonly policies: readonly DescribedPolicy[] | null
  /** How many bits of an IPv6 address its keys have, if they are networks of clients; null: they may be anything. */
  readonly networkBits: number | null
  /** Whether it obeys the lists of operations. */
  readonly listed: boolean
  /** Whether it obeys other lists too, which only its own process knows. */
  readonly ownLists: boolean
}

/** The description that a process writes of itself. */
export interface Description {
  readonly service: string
  readonly pid: number
  readonly startedMs: number
  readonly limiters: readonly DescribedLimiter[]
  /** Limits that can be changed while they run; left out by earlier versions. */
  readonly limits?: readonly DescribedLimit[] | undefined
  /** How many limiters did not fit. */
  readonly cut: number
}

/** The numbers that a process writes every second. */
export interface SeenText {
  readonly atMs: number
  /** The time over which the policies' numbers were counted. */
  readonly overMs: number
  readonly policies: readonly SeenPolicy[]
  readonly cut: number
  /** Limiters whose store does not answer. */
  readonly away: readonly string[]
}
