import type { Act } from './act.ts'
import type { Clock } from './clock.ts'
import type { Policy } from './policy.ts'

export type Reason = 'limited' | 'blocked' | 'banned' | 'denied' | 'too-costly' | 'store-unavailable'
export type Charge = 'all-or-nothing' | 'every-level'
export type FailureChoice = 'local' | 'allow' | 'deny'

/** One policy asked about one key. */
export interface Check {
  /** Limiter, policy and strategy: with `key` the name of the state. */
  readonly id: string
  readonly policy: Policy
  /** Encoded: different keys never meet. */
  readonly key: string
  readonly cost: number
  readonly note: string | undefined
  /** Whether the policy is a shadow: its refusal keeps no other check from charging. */
  readonly shadow: boolean
  readonly onStoreFailure: FailureChoice
  /** A cluster is moving the slot, so a call may name no key but that of the state: blocks are not counted meanwhile. */
  readonly oneKey?: true
}

/** What one request asks. A (policy, key) appears at most once. */
export interface Question {
  readonly checks: readonly Check[]
  readonly charge: Charge
  /** Longest wait that is accepted; 0 for a check. */
  readonly maxWaitUs: number
  /** false: look only. */
  readonly take: boolean
  /**
   * Other checks of the request are decided elsewhere, and one may refuse (`unknown`) or has refused. Then nothing is taken that needs
   * all to allow: places in flight and, by all or nothing, every unit.
   */
  readonly others?: 'unknown' | 'refused' | undefined
  /**
   * How many steps the cost of each check has, each of one unit of the coarsest policy. As many steps are taken as all policies that bind
   * have room for, at least one. @default all of the cost or nothing
   */
  readonly upTo?: number | undefined
}

/** One check's answer. `remaining` and `resetAfterUs` describe the state as this call leaves it. */
export interface StoreRow {
  readonly allowed: boolean
  readonly reason: Reason | null
  readonly limit: number
  readonly remaining: number
  /** Refused: -1 = never. Allowed: 0, but in a refused every-level question the time until it would pass again as this call leaves it. */
  readonly retryAfterUs: number
  readonly resetAfterUs: number
  readonly waitUs: number
  /** What `adjust` needs to give this back; `''` where nothing was taken. */
  readonly receipt: string | number
  /** No count is behind the row: the store was away. Its numbers say nothing. */
  readonly uncounted?: true
  /** Of a question with `upTo`: how many units of the cost were taken; left out where none were. */
  readonly taken?: number
}

/** Its retry-after is -1 when allowed, and when waiting never helps. */
export type Summary = readonly [
  limited: 0 | 1,
  limit: number,
  remaining: number,
  retryAfterSeconds: number,
  resetAfterSeconds: number,
]

/** One question's rows in the order of its checks; `summary` where a script has folded all of them. */
export type StoreRows = readonly StoreRow[] & {
  readonly summary?: Summary
  /** What answered, where not the store itself did: 'fallback', 'none'. */
  readonly source?: string
  /** false: the store was not asked, as it has just made this refusal, or as units are in hand. */
  readonly asked?: false
}

/** A correction of what was taken: negative units give back by receipt, positive ones are taken even beyond the limit. */
export interface Change {
  readonly check: Check
  readonly receipt: string | number | null
  readonly byUnits: number
  /** The next call waits at least this: raised, never added. */
  readonly atLeastUs?: number
  /** Gives back the newest units that the key counts, whoever took them. `byUnits` is negative, and there is no receipt. */
  readonly reward?: true
}

/** A take that is in flight, by its check and its receipt. */
export interface HeldLease {
  readonly check: Check
  readonly receipt: string | number
}

/** What became of a lease: `regained` had lapsed and was taken anew, `lost` has lapsed and its place is another's. */
export type Renewal = 'held' | 'regained' | 'lost'

/** A caller that waits for what its check takes in flight, or leaves the line. Those of one key stand in the order of their turns. */
export interface InLine {
  readonly check: Check
  /** Tells it from every other caller; the receipt of what it takes. Asking twice does no harm. */
  readonly id: string
  readonly priority: number
  /** How long it has waited. Read when the call leaves, as it grows until then. */
  readonly waitedUs: number
  readonly leaves: boolean
  /** Whether it only keeps its turn and is not served by this call, as others of its process come before it. @default false */
  readonly stands?: boolean
}

/** What became of a caller in line: it holds what it asked for, waits on (refused for now), or is refused and out of the line. */
export interface LinePlace {
  readonly row: StoreRow
  readonly waits: boolean
  /** What answered, where not the store itself did: 'fallback', 'none'. */
  readonly source?: string | undefined
}

export interface Command {
  /** `set`: from now on the key counts as having used `units`; a block is kept. */
  readonly op: 'block' | 'unblock' | 'reset' | 'set' | 'inspect'
  readonly check: Check
  readonly us?: number
  /** The later of an old and the new end of a block holds; left out: the new one. */
  readonly later?: boolean
  readonly units?: number
}

/** What `inspect` shows of one key. */
export interface KeySnapshot {
  /**
   * `allowed`, `reason` and `retryAfterUs` as for a check of one unit; the other fields describe the count, which a block does not change.
   */
  readonly row: StoreRow
  readonly blockedUs: number | null
  /** Whether the block is a ban. @default false */
  readonly banned?: boolean
  /** How many blocks of its policy count for the next one. @default 0 */
  readonly blocks?: number
  readonly entries: readonly { readonly note: string; readonly agoUs: number }[]
}

export interface StoreEvent {
  readonly kind: 'failed' | 'opened' | 'half-open' | 'late' | 'recovered'
  readonly store: string
  readonly error?: Error
  /** Since the store last changed between answering and not. */
  readonly sinceMs: number
}

export interface Warning {
  readonly code: string
  readonly message: string
}

export interface StoreListener {
  /** `words`: what a log says that the store does. @default the event's kind */
  event(event: StoreEvent, words?: string): void
  warned(warning: Warning): void
  /** A connection has ended: what the store counted may be gone when it is back. */
  lost?(): void
}

/** For a health endpoint. */
export interface Health {
  readonly status: 'ok' | 'degraded' | 'down'
  readonly store: string
  /** Of a guarded store: `open` while it is spared, `half-open` during a probe. */
  readonly breaker?: 'closed' | 'half-open' | 'open'
  /** Since the status last changed. */
  readonly sinceMs: number
  /** Calls that failed or came too late, as the next two since the store was made. */
  readonly failures: number
  /** Made without the store. */
  readonly fallbackDecisions: number
  readonly lateReplies: number
  /** Keys in this process's memory, blocked ones among them. */
  readonly keys: number
  /** Their codes. */
  readonly warnings: readonly string[]
  /** Units taken ahead; left out without the option `ahead` of a limiter. */
  readonly ahead?: AheadHealth
}

/** The health of a store that has had no trouble, or cannot say. */
export function healthOf(store: string): Health {
  const counts = { sinceMs: 0, failures: 0, fallbackDecisions: 0, lateReplies: 0, keys: 0 }
  return { status: 'ok', store, ...counts, warnings: [] }
}

/** A file whose last change does not apply, as it could not be read; what applied before still does. */
export interface FailedReload {
  /** @example 'limits.yaml' */
  readonly source: string
  readonly error: string
  /** Since it failed first. */
  readonly sinceMs: number
}

/** The health of a limiter: that of its store, and what the limiter knows itself. */
export interface LimiterHealth extends Health {
  /** Callers that `wait`, `run` and `maxWait` hold now: at most `maxSleepers`. */
  readonly sleepers: number
  /** Left out while there are none; the status is `degraded` while there are. */
  readonly failedReloads?: readonly FailedReload[]
  /** How often a file of limits or lists was read again and applies; left out while it never was. */
  readonly reloads?: number
}

/** What a limiter with the option `ahead` has taken. */
export interface AheadHealth {
  /** Units taken from the store, and not used or given back yet. */
  readonly inHand: number
  /** Decisions from units in hand, since the limiter was made. */
  readonly decisions: number
}

/** How a limiter counts. */
export interface Counting {
  readonly charge: Charge
  /** The policies by name; null: chosen anew for each call. */
  readonly policies: { readonly [name: string]: Policy | null }
}

/** A store that one limiter asks and closes in place of the inner one, and the limiter's policies as it counts them. */
export interface Around extends Pick<Counting, 'policies'> {
  readonly around: Store
}

/** Gets an answer to a question that comes later. */
export interface Asker {
  /** Never throws, and is not called before the call that has asked has returned. */
  answered(rows: StoreRows): void
  /** Gets a StoreError where there is no answer, by the same rules. */
  failed(error: unknown): void
  /** Whether it has had another answer, so that nobody waits for this one. */
  readonly done?: boolean | undefined
  /** Until when it waits, by `performance.now()`. @default as long as it takes */
  readonly expiresAt?: number
}

/** What a store may know of policies before they are asked. */
export interface Preparing {
  /** Whether their numbers are part of the program, so that a script may be made for each. */
  readonly constant: boolean
}

/** What is counted under one policy: all of its keys have this id. */
export type Counted = Pick<Check, 'id' | 'policy'>

/** Takes one unit of a key at a time, under a policy that is always the same. */
export interface Counter {
  /** `key`: a text, as the caller gave it. */
  take(key: string): StoreRow
}

/** Answers questions, each in one atomic step. What surrounds a store (deadline, fallback …) is itself a store. */
export interface Store {
  readonly name: string
  /** Begins the name of every key in Redis; left out by a store elsewhere. */
  readonly prefix?: string | undefined
  /**
   * What it does beyond what every store must do. A limiter's method, or a policy's option, that the store lacks is an error.
   * @default nothing
   */
  readonly can?: readonly ('reward' | 'set' | 'line' | 'blockFor' | 'upTo')[] | undefined
  /**
   * Whether nothing is shared between questions, neither timers nor promises: a worker of Cloudflare may not wait for what another of its
   * requests has asked. @default true in a worker of Cloudflare, else false
   */
  readonly apart?: boolean | undefined
  /** The store answers before the call returns, as one in this process can: then it is a `StoreAtOnce`. @default it may answer later */
  readonly atOnce?: true | undefined
  /** The clock by which callers wait for what they have reserved here. @default the real one */
  readonly clock?: Clock | undefined
  /** All checks are looked at before anything is taken, and no other question comes between. */
  answer(question: Question): StoreRows | Promise<StoreRows>
  /**
   * The same without a promise: undefined where `asker` gets the answer later. A store that wraps another has both, or `answer` alone.
   * @default the promise of `answer` is used
   */
  answerTo?(question: Question, asker: Asker): StoreRows | undefined
  /**
   * A short way to answer questions for one unit of a key, for a limiter that has one policy. A store that wraps another leaves it out.
   * @default `answer` is asked
   */
  counter?(counted: Counted): Counter | undefined
  adjust(changes: readonly Change[]): void | Promise<void>
  /** Renews takes that are under way; answers in their order. Left out: they lapse. Rejects where it could not, and is asked again. */
  renew?(held: readonly HeldLease[]): readonly Renewal[] | Promise<readonly Renewal[]>
  /**
   * Lets callers stand in line for what is in flight, and take it when it is their turn. They ask again within three seconds, or lose
   * their turn. Left out: no caller can wait for it.
   */
  line?(callers: readonly InLine[]): readonly LinePlace[] | Promise<readonly LinePlace[]>
  /** `inspect` answers a KeySnapshot, the others nothing. */
  manage(command: Command): unknown
  /** Hears that another process has done this to these keys by hand. The store knows of its own changes without it. */
  changed?(checks: readonly Check[], act: Act): void
  /** Refuses a policy that this store cannot hold, by an OptionError. */
  accept?(policy: Policy, path: string): void
  /**
   * A store around this one, for a limiter with the option `ahead`: it takes units ahead, to be used within `aheadUs`. Throws an
   * OptionError where they cannot be counted so. undefined, or left out: none are taken ahead.
   */
  ahead?(aheadUs: number, limiter: Counting): Around | undefined
  /** Gets ready, before the first question, for policies of one limiter that are asked together. */
  prepare?(policies: readonly Policy[], about: Preparing): void
  /** Passes events and warnings on to the listener, until the returned function is called. */
  watch?(listener: StoreListener): () => void
  ready?(): Promise<void>
  health?(): Health
  close(): Promise<void>
}

/** A store that answers before the call returns: its limiters have `checkNow`. */
export interface StoreAtOnce extends Store {
  readonly atOnce: true
  answer(question: Question): StoreRows
}
