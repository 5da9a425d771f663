import type { Charge, FailureChoice } from '@sluice/core'
import type { NoWrites } from '../server/server.ts'

/** A policy by the name of its strategy, with options in milliseconds. */
export type PolicyPlan = StrategyPlan & {
  readonly name: string
  readonly onStoreFailure: FailureChoice
  readonly shadow: boolean
  /** How long a refused key is blocked; 0: it is not. */
  readonly blockForMs: number
  /** A window whose callers reserve and wait. @default they cannot */
  readonly isReservable?: true
}

export type StrategyPlan =
  | { readonly strategy: 'slidingWindowLog'; readonly limit: number; readonly windowMs: number }
  | { readonly strategy: 'slidingWindowCounter'; readonly limit: number; readonly windowMs: number }
  | {
      readonly strategy: 'fixedWindow'
      readonly limit: number
      readonly windowMs: number
      readonly byClock: boolean
      /** Windows of a calendar, by its number; `windowMs` is then longer than a history. @default they are all as long */
      readonly calendar?: number
    }
  | { readonly strategy: 'attributedWindow'; readonly limit: number; readonly windowMs: number }
  | { readonly strategy: 'fairShare'; readonly limit: number; readonly windowMs: number }
  | {
      readonly strategy: 'multiWindow'
      readonly limits: readonly (readonly [limit: number, windowMs: number])[]
    }
  | { readonly strategy: 'uniform'; readonly intervalMs: number }
  | { readonly strategy: 'gcra'; readonly count: number; readonly periodMs: number; readonly burst: number }
  | {
      readonly strategy: 'tokenBucket'
      readonly capacity: number
      readonly count: number
      readonly periodMs: number
      /** @default a key that nobody has asked for has all its tokens */
      readonly startsEmpty?: true
    }
  | {
      readonly strategy: 'leakyBucket'
      readonly capacity: number
      readonly count: number
      readonly periodMs: number
    }
  | { readonly strategy: 'concurrency'; readonly limit: number; readonly leaseMs: number }

/** What all processes of a history have in common. */
export interface Scenario {
  readonly processes: number
  readonly policies: readonly PolicyPlan[]
  readonly charge: Charge
  /** Units are taken ahead for so long; 0: none are. */
  readonly aheadMs: number
  readonly deadlineMs: number
  readonly connectDeadlineMs: number
  readonly refusalCacheMs: number
  readonly maxKeys: number
  /** What the option `processes` says; 0: it is left out. */
  readonly shares: number
  /** One way, in µs. */
  readonly wayUs: number
  readonly jitterUs: number
  /** Messages go their own ways, as over REST. */
  readonly apart: boolean
  readonly replicated: boolean
  /** How many units an amount of 1 is. Plans say units throughout, and what callers say are amounts. @default 1 */
  readonly scale?: number
  /** The limiter goes by lists that all processes share. @default false */
  readonly lists?: boolean
  /** Each process has a member of one queue. @default there is none */
  readonly queue?: QueuePlan
  /** There is a cluster of two servers. @default there is one server */
  readonly cluster?: {
    /** The client is one for a single server, and does not know. */
    readonly isUnknown: boolean
    /** Each policy has a key of its own, in another slot. */
    readonly isSpread: boolean
    /** By how much the clock of the second server is ahead. */
    readonly aheadMs: number
  }
}

/** A queue, and what its members do. */
export interface QueuePlan {
  /** It is kept in a list, and hands out once. @default it is a stream queue */
  readonly isList?: boolean
  readonly limit: number
  readonly concurrency: number
  /** 0: none. */
  readonly minIntervalMs: number
  readonly idleClaimMs: number
  readonly maxAttempts: number
  /** Work waits for its turn by the limiter. */
  readonly asksLimiter: boolean
  /** One member leaves while others go on; what then still runs is left to them after a while. */
  readonly leaves: { readonly atUs: number; readonly process: number; readonly timeoutMs: number } | undefined
}

/** A job that a process offers at an instant. */
export interface JobPlan {
  readonly nth: number
  readonly atUs: number
  readonly process: number
  readonly workMs: number
  /** How many attempts throw. */
  readonly throws: number
}

export type Operation =
  | 'check'
  | 'part'
  | 'peek'
  | 'reserve'
  | 'wait'
  | 'refund'
  | 'settle'
  | 'cancel'
  | 'hold'
  | 'penalize'
  | 'reward'
  | 'set'
  | 'block'
  | 'unblock'
  | 'reset'
  | 'inspect'
  | 'deny'
  | 'refuse'
  | 'allow'
  | 'unlist'

/** What a caller does at an instant. */
export interface CallPlan {
  readonly nth: number
  readonly atUs: number
  readonly process: number
  readonly operation: Operation
  /** The key, by its number. */
  readonly key: number
  readonly cost: number
  /** How long a place is held, a wait is accepted, a key is blocked; or until a charge is corrected. */
  readonly ms: number
  /** Whose call it is, where several clients have one key: the note says it. @default nobody says it */
  readonly client?: number
  /** When a period of the key's own began. @default it has none */
  readonly since?: string
  /** Of one that waits: its caller hangs up so long after asking. @default it does not */
  readonly hangsUpMs?: number
  /** Of one that waits: for work that takes `ms`. @default it goes on by itself */
  readonly runs?: true
}

export type FaultPlan = { readonly atUs: number } & (
  | { readonly kind: 'delay'; readonly process: number; readonly ms: number; readonly forMs: number }
  | {
      readonly kind: 'lose'
      readonly process: number
      readonly requests: number
      readonly replies: number
      readonly forMs: number
    }
  | { readonly kind: 'half-open'; readonly process: number; readonly forMs: number }
  | { readonly kind: 'reset'; readonly process: number; readonly forMs: number }
  | { readonly kind: 'hang'; readonly forMs: number }
  | { readonly kind: 'restart'; readonly forMs: number; readonly keepsData: boolean }
  | { readonly kind: 'fail-over'; readonly lagMs: number; readonly isNoticed: boolean }
  | { readonly kind: 'flush' }
  | { readonly kind: 'no-writes'; readonly why: NoWrites; readonly forMs: number }
  | { readonly kind: 'busy'; readonly forMs: number }
  | { readonly kind: 'flush-scripts' }
  | { readonly kind: 'server-clock'; readonly ms: number }
  | { readonly kind: 'wall-clock'; readonly process: number; readonly ms: number }
  | { readonly kind: 'stand-still'; readonly process: number; readonly forMs: number }
  | { readonly kind: 'die'; readonly process: number }
  /** Of a key, to the second server; some of its counts are here and some are there meanwhile. */
  | { readonly kind: 'move-slot'; readonly key: number; readonly forMs: number }
)

/** All that a seed decides but what happens by chance on the way. */
export interface Plan {
  readonly seed: number
  readonly scenario: Scenario
  readonly calls: readonly CallPlan[]
  readonly faults: readonly FaultPlan[]
  /** Where there is a queue. */
  readonly jobs?: readonly JobPlan[]
}
