import type { Charge, FailureChoice } from '@sluice/core'
import type { NoWrites } from '../server/server.ts'

/** A policy by the name of its strategy, with options in milliseconds. */
export type PolicyPlan = StrategyPlan & {
  readonly name: string
  readonly onStoreFailure: FailureChoice
  readonly shadow: boolean
  /** How long a refused key is blocked; 0: it is not. */
  readonly blockForMs: number
  /** Whether callers of a window reserve and wait. @default they cannot */
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
      /** The number of a calendar; `windowMs` is then longer than a history. @default all windows have the same length */
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
  /** For how long units are taken ahead; 0: none are. */
  readonly aheadMs: number
  readonly deadlineMs: number
  readonly connectDeadlineMs: number
  readonly refusalCacheMs: number
  readonly maxKeys: number
  /** The option `processes`; 0: it is left out. */
  readonly shares: number
  /** How long one way takes, in µs. */
  readonly wayUs: number
  readonly jitterUs: number
  /** Whether each message goes its own way, as over REST. */
  readonly apart: boolean
  readonly replicated: boolean
  /** How many units an amount of 1 is. Plans have units throughout, and callers name amounts. @default 1 */
  readonly scale?: number
  /** Policies that some calls choose in place of those of the same names. @default no call chooses */
  readonly chosen?: readonly PolicyPlan[]
  /** Whether no call chooses, but limits are changed to what is `chosen` while they run. @default limits stay as they are */
  readonly changes?: true
  /** Whether the limiter obeys lists that all processes share. @default false */
  readonly lists?: boolean
  /** A process that closes all that it has, while others go on. @default all close at the end */
  readonly closes?: { readonly atUs: number; readonly process: number }
  /** A queue of which each process has a member. @default there is none */
  readonly queue?: QueuePlan
  /** A cluster of two servers. @default there is one server */
  readonly cluster?: {
    /** Whether the client is made for a single server, and does not know that there is a cluster. */
    readonly isUnknown: boolean
    /** Whether each policy has a key of its own, in another slot. */
    readonly isSpread: boolean
    /** By how much the clock of the second server is ahead. */
    readonly aheadMs: number
  }
}

/** What calls choose in place of a policy; undefined: none does. */
export function chosenIn({ chosen = [] }: Scenario, { name }: PolicyPlan): PolicyPlan | undefined {
  return chosen.find((each) => each.name === name)
}

/** A queue, and what its members do. */
export interface QueuePlan {
  /** Whether the queue is kept in a list, and hands each job out once. @default it is a stream queue */
  readonly isList?: boolean
  readonly limit: number
  readonly concurrency: number
  /** 0: none. */
  readonly minIntervalMs: number
  readonly idleClaimMs: number
  readonly maxAttempts: number
  /** Whether the work of a job first waits for its turn by the limiter. */
  readonly asksLimiter: boolean
  /** One member leaves while others go on. What still runs after `timeoutMs` is left to them. */
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
  | 'change'
  | 'restore'

/** What a caller does at an instant. */
export interface CallPlan {
  readonly nth: number
  readonly atUs: number
  readonly process: number
  readonly operation: Operation
  /** The key, by its number. */
  readonly key: number
  readonly cost: number
  /** How long a place is held, a wait is accepted, a key is blocked, or a limit is changed; or how long until a charge is corrected. */
  readonly ms: number
  /** The client that calls, where several have one key: the call's note names it. @default the call has no note */
  readonly client?: number
  /** The policy that does not apply to it, by its number. @default all apply */
  readonly skips?: number
  /** Its cost by each policy. @default `cost` */
  readonly costs?: readonly number[]
  /** The units that a call with `settle` turns out to cost. @default half of its cost */
  readonly settlesTo?: number
  /** How its caller ends it. @default as its operation says */
  readonly ends?: 'refund' | 'settle'
  /** Whether its caller also gives back all after it has given back. @default it does not */
  readonly endsAgain?: true
  /** Whether it chooses policies. @default the limiter's own apply */
  readonly chooses?: true
  /** When a period of the key's own began. @default it has none */
  readonly since?: string
  /** For a call that waits: how long after asking its caller hangs up. @default it does not */
  readonly hangsUpMs?: number
  /** For a call that waits: whether it is a `run`, of work that takes `ms`. @default it is a `wait` */
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
  /** The slot of a key moves to the second server; meanwhile some of its counts are on the first and some on the second. */
  | { readonly kind: 'move-slot'; readonly key: number; readonly forMs: number }
)

/** All that a seed decides, except for what happens by chance on the way. */
export interface Plan {
  readonly seed: number
  readonly scenario: Scenario
  readonly calls: readonly CallPlan[]
  readonly faults: readonly FaultPlan[]
  /** The jobs, where there is a queue. */
  readonly jobs?: readonly JobPlan[]
}
