import type { Ability, Policy } from '../policy.ts'
import type { DeclaredOptions, ReadOptions, StrategyOptions } from './options.ts'
import type { Picture } from './picture.ts'
import type { RowShape } from './row-shape.ts'

/** The result of a look: the answer, and whatever `take` needs to write it. */
export interface StrategyDraft {
  readonly allowed: boolean
  readonly limit: number
  /** Units left after this call: with the cost deducted if it is allowed. */
  readonly remaining: number
  /** Until the same cost would be allowed; 0 when allowed, null when waiting never helps (it costs more than can ever fit). */
  readonly retryAfterUs: number | null
  /** Time until the key's full limit is available again, after this call. */
  readonly resetAfterUs: number
  readonly waitUs?: number
}

/** The call that charges: its time, a unique id, and the caller's note. */
export interface TakeCall {
  readonly nowUs: number
  readonly id: string
  readonly note: string
}

/** A call that was refused, and what its look saw. */
interface RefusedCall<Numbers, State, D> {
  readonly numbers: Numbers
  readonly state: State | undefined
  readonly draft: D
}

interface ChargeGivenBack<Numbers> {
  readonly receipt: string
  readonly numbers: Numbers
  /** Units that were charged. */
  readonly charged: number
}

/** A caller that waits for units in flight, or leaves the line. */
export interface LineCaller {
  /** Tells it from every other; the receipt of what it takes. */
  readonly id: string
  readonly units: number
  /** From -100 to 100: the higher is served first. */
  readonly priority: number
  /** For how long it has waited. */
  readonly waitedUs: number
  readonly leaves: boolean
  /** It keeps its turn, and is not served by this call. */
  readonly stands: boolean
}

/** `out`: it is not in line, as it has left or the line is full. */
export type LineOutcome = 'holds' | 'waits' | 'out'

/** A state that consists of numbers only, stored in a Float64Array instead of an object per key. */
export interface Packed<State, Numbers = unknown> {
  readonly width: number
  /** What few states have beside their numbers. @default nothing */
  readonly rest?: { of(state: State): unknown; into(state: State, rest: unknown): void }
  /** A state to load into: reused for every call, so that reading a key creates no object. */
  blank(): State
  load(values: Float64Array, at: number, state: State): void
  save(values: Float64Array, at: number, state: State): void
  /**
   * Does what `look` and `take` do for one unit of a state that the same numbers have written, without an object for the state or for the
   * draft. The row has no wait. undefined: it is not that simple, and nothing has changed. @default `look` and `take`
   */
  takeOne?(numbers: Numbers, values: Float64Array, at: number, nowUs: number): RowShape | undefined
}

/** Throws an OptionError. @default of `got`: the option of that name as it was passed in */
export type Bad = (path: string, expected: string, got?: unknown) => never

/** Units that are taken now and used later, so that never more are used than the policy allows. */
interface Ahead<Numbers> {
  /** Numbers by which units are taken that may be used up to `us` later; undefined where that is too long for the policy. */
  numbers(numbers: Numbers, us: number): Numbers | undefined
  /** For how long units may be used that may not outlast their window; `resetAfterUs` is that of the take. @default as long as any */
  leftUs?(numbers: Numbers, resetAfterUs: number): number
}

/** The half of a strategy that is a script. */
interface RedisHalf<Numbers> {
  encode(numbers: Numbers): readonly number[]
  readonly lua: string
  /** Whether lua/reserving stands around it: its first argument is then how far ahead units may be reserved. @default false */
  readonly reservable?: true
}

/** How callers may reserve units that they use later; see `reservable`. */
export interface Later<Numbers, State> {
  /** What the user is to write, as an error says it. */
  readonly how: string
  /** When the last caller that has reserved is let in, by these numbers; if that is not after now, no caller waits. */
  dueUs(numbers: Numbers, state: State, nowUs: number): number
  /** A text that differs from the one before the newest charge, and is that one again once the charge was given back. */
  newest(state: State): string
  /** Numbers that are added to its own if units may be reserved. @default none */
  numbers?(numbers: Numbers): Partial<Numbers>
  /** The furthest ahead for which its script knows where windows end. @default any */
  mostDebtUs?(numbers: Numbers): number | undefined
}

/** A window of a calendar; the end belongs to the next one. In microseconds since 1970. */
export interface CalendarWindow {
  readonly startUs: number
  readonly endUs: number
}

/** Windows that differ in length. */
export interface Calendar {
  /** The window that an instant lies in. */
  windowAt(us: number): CalendarWindow
  /**
   * The policy with windows that count from `since`, as a call has said; throws an OptionError if that is no instant. The same object for
   * the same instant, as stores compare policies by identity. @default a call may say none
   */
  since?(policy: Policy, since: unknown): Policy
}

/**
 * How far the clock may step back before state in the future counts as wrong: a server's TIME is not strictly monotonic. Up to this
 * distance nothing is moved, so ends, counts and receipts stay valid. The same number is in `include/slip.lua`.
 */
export const slipUs = 1000

export interface StrategyDefinition<
  O extends object,
  Numbers,
  State,
  D extends StrategyDraft,
  Can extends Ability,
> {
  readonly name: string
  readonly can: readonly Can[]
  /** One sentence about what it allows. */
  readonly about?: string | undefined
  /** The options as data: checks, errors and tables are derived from it. Leave it out if there is `parse`. */
  readonly options?: DeclaredOptions<O> | undefined
  /** Converts the declared options, each already checked, to whole numbers (µs). `bad` throws an OptionError. @default the options as read */
  numbers?(read: ReadOptions<O>, bad: Bad): Numbers
  /** Converts options of any form to whole numbers (µs), instead of `options` and `numbers`; `bad` throws an OptionError. */
  parse?(options: O, bad: (path: string, expected: string, got: unknown) => never): Numbers
  /**
   * The numbers of a policy that was chosen for one call (`check(key, { policy })`), where the state distinguishes them: they shorten
   * nothing that others have charged, and what they charge outlasts calls with others. `own` are the limiter's own numbers, or the same
   * where it has none. @default the same numbers
   */
  chosen?(numbers: Numbers, own: Numbers): Numbers
  /** @default the number `limit` */
  limitOf?(numbers: Numbers): number
  /**
   * Reads and computes, changes nothing. The draft can be passed to `take` even if it refuses (penalties and reservations do that).
   * `note`: the call's, where it has one.
   */
  look(numbers: Numbers, state: State | undefined, nowUs: number, cost: number, note?: string): D
  /** Returns the state that the draft describes; may change the old one in place. */
  take(state: State | undefined, draft: D, call: TakeCall): State
  /**
   * The state after a refusal, for a strategy that must remember which notes asked in vain; may change the old state in place. With it, a
   * refusal concerns the call's note, and not the key. @default nothing changes
   */
  refuse?(refused: RefusedCall<Numbers, State, D>): State | undefined
  /** Identifies a charge, from the state after it and its draft. Without it, `give` is called only while that state is still current. */
  receipt?(state: State, draft: D): string | number
  /** Whether a receipt alone says which count of a key was charged, also where the key was reset since. @default no */
  tellsCounts?(numbers: Numbers): boolean
  /** Gives back at most what remains of the receipt's own charge; may change the old state in place. */
  give?(state: State, units: number, nowUs: number, taken: ChargeGivenBack<Numbers>): State
  /**
   * Gives back at most this many of the units that the key still counts, the newest first and without a receipt; may change the old
   * state in place. The ability `reward` needs it.
   */
  reward?(numbers: Numbers, state: State, units: number, nowUs: number): State
  /** Time after which the state can be dropped. */
  idleUs(numbers: Numbers, state: State, nowUs: number): number
  /** Without it, a Redis store refuses the policy at construction. Where there is a calendar, the script gets three of its ends after the numbers. */
  readonly redis?: RedisHalf<Numbers> | undefined

  /** Two letters in the state's key. @default the name */
  readonly code?: string | undefined
  /** The window of the limit, for headers and to break ties. @default the declared option `window`, otherwise none */
  windowUsOf?(numbers: Numbers): number
  /**
   * The calendar that the windows follow where they differ in length; `windowUsOf` is then the longest. @default none: each window is as
   * long as `windowUsOf` says
   */
  calendarOf?(numbers: Numbers): Calendar | undefined
  /** The limit that `RateLimit-Policy` announces. @default limitOf */
  quotaOf?(numbers: Numbers): number
  /** Whether any cost counts as one request. @default false */
  readonly countsRequests?: boolean | undefined
  /** Whether it counts requests in flight: charged only if the whole request is allowed, and given back only by `release`. @default false */
  readonly inFlight?: boolean | undefined
  /** Why its policies cannot block keys, as an OptionError says it. @default they can */
  readonly noBlocks?: string | undefined
  /** What would not hold if callers slept longer than they are told, as an OptionError for `jitter` says it. @default they may */
  readonly noJitter?: string | undefined
  /**
   * Whether a cost of 1 that was refused stays so until its wait is over, with nothing remaining and the reset at the same instant, as
   * long as nobody gives back or changes the key: then a refusal may be repeated without asking the store. @default false
   */
  readonly refusalsLast?: boolean | undefined
  /** How long a request in flight counts without a renewal. @default the declared option `lease`, otherwise forever */
  leaseUs?(numbers: Numbers): number
  /** Extends a lease from now; an expired one is taken again (`held` false), or undefined if there is no room. */
  renew?(
    state: State | undefined,
    nowUs: number,
    taken: ChargeGivenBack<Numbers>,
  ): { readonly state: State; readonly held: boolean } | undefined
  /**
   * Lets callers stand in line, in their order, and take what is free when it is their turn; may change the old state in place. One that
   * does not ask again loses its turn after a while. The ability `line` needs it.
   */
  line?(
    state: State | undefined,
    nowUs: number,
    about: { readonly numbers: Numbers; readonly callers: readonly LineCaller[] },
  ): { readonly state: State; readonly outcomes: readonly LineOutcome[] }
  /** Extra script arguments after the encoded numbers: the call's id, the caller's note. @default none */
  readonly wants?: readonly ('call' | 'note')[] | undefined
  /** The longest note, in bytes. @default the declared option `noteBytes`, otherwise 0 */
  noteBytes?(numbers: Numbers): number
  /**
   * Moves state that lies further ahead than this strategy can have written to the furthest legal time; returns the same object if it
   * does not. Memory asks only for what other numbers wrote, or after a step back of the clock. `slipUs`: how much further ahead
   * nothing is moved. @default 1 ms
   */
  repair?(numbers: Numbers, state: State, nowUs: number, slipUs?: number): State
  /** State stored for a new key at its first refusal. @default nothing */
  begin?(numbers: Numbers, nowUs: number): State | undefined
  /** The state of a key that has used nothing. @default that of an unknown key: none */
  unused?(numbers: Numbers, nowUs: number): State | undefined
  /** Charges units regardless of the limit. @default look, then take */
  charge?(numbers: Numbers, state: State | undefined, units: number, nowUs: number, note?: string): State
  /** Makes the next call of cost 1 wait at least this long, at most `debtUs` and one spacing. Repeated calls do not add up. */
  raise?(numbers: Numbers, state: State | undefined, waitUs: number, nowUs: number): State | undefined
  /** How far a charge may go beyond what a check can use. @default the declared option `maxDebt`, otherwise 0 */
  debtUs?(numbers: Numbers): number
  /** How far apart requests of this cost are in the long run; left out if the strategy cannot reserve. */
  spacingUs?(numbers: Numbers, cost: number): number
  /** This process's share while the store is unreachable. @default a share of the declared option `limit`, otherwise the whole limit */
  share?(numbers: Numbers, processes: number): Numbers
  /**
   * How units may be used later than they were taken. Left out: they may not, and a limiter with the option `ahead` refuses the policy.
   */
  readonly ahead?: Ahead<Numbers> | undefined
  /** Units that are charged for a later instant count in the window of that instant. @default they count from now on */
  readonly whenDue?: true
  /** How units may be reserved. Left out: `reservable` refuses its policies. */
  readonly later?: Later<Numbers, State> | undefined
  /** The notes that are stored for each unit, the oldest first. */
  entries?(state: State, nowUs: number): readonly { readonly note: string; readonly atUs: number }[]
  readonly packed?: Packed<State, Numbers> | undefined
  /** How pages and reports describe and draw it. @default its name, limit and window */
  picture?(numbers: Numbers): Picture
}

// A store holds strategies of all kinds, each with its own states and numbers.
// biome-ignore lint/suspicious/noExplicitAny: a state is only passed to the strategy that created it
export type AnyDefinition = StrategyDefinition<any, any, any, any, any>

/** A definition, completed from its declared options. */
export interface AnyStrategy extends Omit<AnyDefinition, 'options'> {
  readonly options?: StrategyOptions | undefined
  readonly code: string
  /** What keeps its places in flight. undefined: it has none. */
  readonly places: object | undefined
  /** What lets callers reserve and wait. undefined: they cannot. */
  readonly reserving: object | undefined
  limitOf(numbers: unknown): number
}
