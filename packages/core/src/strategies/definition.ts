import { isOptionError, optionError } from '../errors.ts'
import { type Ability, type Changing, markMaker, type Policy } from '../policy.ts'
import { msUp } from '../units.ts'
import { type BlockFor, type Blocking, countsBlocks, readBlockFor } from './block-for.ts'
import type { Calendar } from './calendar.ts'
import { blockFor } from './common-options.ts'
import {
  type DeclaredOptions,
  type OptionWords,
  type ReadOptions,
  readOptions,
  type StrategyOptions,
} from './options.ts'
import type { Picture } from './picture.ts'
import { shareOf } from './share.ts'
import { type Fractions, optionsInUnits, readUnit } from './unit.ts'

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
interface Refused<Numbers, State, D> {
  readonly numbers: Numbers
  readonly state: State | undefined
  readonly draft: D
}

/** The charge that is given back. */
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
export interface Packed<State> {
  readonly width: number
  /** What few states have beside their numbers. @default nothing */
  readonly rest?: { of(state: State): unknown; into(state: State, rest: unknown): void }
  /** A state to load into: reused for every call, so that reading a key creates no object. */
  blank(): State
  load(values: Float64Array, at: number, state: State): void
  save(values: Float64Array, at: number, state: State): void
}

/** Throws an OptionError. @default of `got`: the option of that name as it was passed in */
export type Bad = (path: string, expected: string, got?: unknown) => never

/** Units that are taken now and used later, so that never more are used than the policy allows. */
interface Ahead<Numbers> {
  /** Numbers by which units are taken that may be used up to `us` later; undefined where that is too long for the policy. */
  numbers(numbers: Numbers, us: number): Numbers | undefined
  /** For how long they may be used where they may not outlast their window; `resetAfterUs` is that of the take. @default as long as any */
  leftUs?(numbers: Numbers, resetAfterUs: number): number
}

/** The half that is a script. */
interface RedisHalf<Numbers> {
  encode(numbers: Numbers): readonly number[]
  readonly lua: string
  /** Whether lua/reserving stands around it: its first argument is then how far ahead units may be reserved. @default false */
  readonly reservable?: true
}

/** How callers may reserve units that they use later; see `reservable`. */
export interface Later<Numbers, State> {
  /** What to write, for errors. */
  readonly how: string
  /** When all who have reserved are let in, by these numbers; not after now: nobody waits. */
  dueUs(numbers: Numbers, state: State, nowUs: number): number
  /** Differs from what it was before the newest charge, and is that again once the charge was given back. */
  newest(state: State): string
  /**
   * After a charge was given back, without the windows at the end in which nobody is let in any more: the one before them counts as
   * full, as nobody else would have come behind it. @default the same
   */
  shortened?(numbers: Numbers, state: State, nowUs: number): State
  /** What its numbers are then besides. @default the same */
  numbers?(numbers: Numbers): Partial<Numbers>
  /** The furthest ahead for which its script knows where windows end. @default any */
  mostDebtUs?(numbers: Numbers): number | undefined
}

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
   * What a refusal leaves, where it must be remembered who asked in vain; may change the old state in place. Then it is the call's note
   * that is refused, and not the key. @default nothing changes
   */
  refuse?(refused: Refused<Numbers, State, D>): State | undefined
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
  /** How far `reserve` and `penalize` may go beyond what a check can use. @default the declared option `maxDebt`, otherwise 0 */
  debtUs?(numbers: Numbers): number
  /** How far apart requests of this cost are in the long run; left out if the strategy cannot reserve. */
  spacingUs?(numbers: Numbers, cost: number): number
  /** This process's share while the store is unreachable. @default a share of the declared option `limit`, otherwise the whole limit */
  share?(numbers: Numbers, processes: number): Numbers
  /**
   * How units may be used later than they were taken. Left out: they may not, and a limiter with the option `ahead` refuses the policy.
   */
  readonly ahead?: Ahead<Numbers> | undefined
  /** How units may be reserved. Left out: `reservable` refuses its policies. */
  readonly later?: Later<Numbers, State> | undefined
  /** The notes that are stored for each unit, the oldest first. */
  entries?(state: State, nowUs: number): readonly { readonly note: string; readonly atUs: number }[]
  readonly packed?: Packed<State> | undefined
  /** How pages and reports describe and draw it. @default its name, limit and window */
  picture?(numbers: Numbers): Picture
}

// A store holds strategies of all kinds, each with its own states and numbers.
// biome-ignore lint/suspicious/noExplicitAny: a state is only passed to the strategy that created it
type AnyDefinition = StrategyDefinition<any, any, any, any, any>

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

/** The non-enumerable members of a policy. */
export interface PolicyParts {
  readonly definition: AnyStrategy
  readonly numbers: unknown
  /** The numbers as script arguments; encoded once. */
  readonly args: readonly string[]
  /** Two policies with the same value decide the same. */
  readonly value: string
  /** Counts what is under way. */
  readonly inFlight: boolean
  /** A receipt alone says which count of a key was charged. */
  readonly tellsCounts: boolean
  /** A cost counts as one request, whatever it is. */
  readonly countsRequests: boolean
  /** How many units are an amount of 1, as callers and options say it. */
  readonly scale: number
  /** The policy's limit in units. */
  readonly units: number
  /** The limit that `RateLimit-Policy` announces. */
  readonly quota: number
  /** What its windows follow where they differ in length. */
  readonly calendar: Calendar | undefined
  /** How it blocks a key that it refuses. */
  readonly blocking: Blocking | undefined
  /** What it was made from; undefined where it was made from another policy. */
  readonly options: object | undefined
  /** Whether it matters how often a key has been blocked before. */
  readonly countsBlocks: boolean
  /** The numbers as they were asked for, where units are taken ahead by stricter ones. */
  readonly stated: unknown
  /** Its replacement, while it has one; undefined where it cannot be replaced. */
  readonly changing: Changing | undefined
}

/** Without `receipt` in the strategy, a take is given back only while the state is still the one it left. */
export function receiptOf(definition: AnyStrategy, state: unknown, draft: StrategyDraft): string | number {
  if (definition.give === undefined) return ''
  return definition.receipt === undefined ? JSON.stringify(state) : definition.receipt(state, draft)
}

/** The strategy and the numbers behind a policy. */
export function partsOf(policy: Policy): PolicyParts {
  return policy as Policy & PolicyParts // only makePolicy creates policies, with these members
}

/** Whether a policy counts requests in flight. */
export function isInFlight({ policy }: { readonly policy: Policy }): boolean {
  return partsOf(policy).inFlight
}

/** How long a request in flight counts without a renewal. */
export function leaseUs({ policy }: { readonly policy: Policy }): number {
  const { definition, numbers } = partsOf(policy)
  return definition.leaseUs?.(numbers) ?? Number.POSITIVE_INFINITY
}

/** The parts are not enumerable, so a policy prints as plain data. */
function makePolicy(face: Omit<Policy, 'type'>, parts: PolicyParts): Policy {
  const policy: Policy = { type: 'sluice.policy', ...face }
  for (const [name, value] of Object.entries(parts)) Object.defineProperty(policy, name, { value })
  return Object.freeze(policy)
}

/** What a limiter needs for what its strategy can do: strategies name it, and know nothing of it. */
interface Brought {
  /** For requests in flight. */
  readonly places?: object
  /** For callers that reserve or stand in line. */
  readonly reserving?: object
}

/** The function that creates a strategy's policies. */
/* @__NO_SIDE_EFFECTS__ */
export function strategyFrom<
  O extends object,
  Numbers,
  State,
  D extends StrategyDraft,
  const Can extends Ability = never,
>(
  definition: StrategyDefinition<O, Numbers, State, D, Can>,
  brought: Brought = {},
): (options: O & BlockFor & Fractions) => Policy<Can> {
  const strategy = completed(definition, definition.options, brought)
  function policy(options: O & BlockFor & Fractions): Policy<Can> {
    return policyWith(strategy, options) as Policy<Can> // its abilities are in the definition
  }
  Object.defineProperty(policy, 'name', { value: definition.name })
  Object.defineProperty(policy, 'definition', { value: strategy })
  return markMaker(policy)
}

function completed(
  definition: Omit<AnyDefinition, 'options'>,
  options: StrategyOptions | undefined,
  { places, reserving }: Brought,
): AnyStrategy {
  const { name, parse, can } = definition
  if ((options === undefined) === (parse === undefined))
    throw optionError(name, 'either `options` or `parse`', options)
  const { code = name } = definition
  return {
    ...shape,
    limitOf: ({ limit }: Numbers) => limit,
    ...derivedFrom(options ?? {}),
    ...definition,
    options: options === undefined || definition.noBlocks !== undefined ? options : { ...options, blockFor },
    code,
    places: definition.inFlight === true ? places : undefined,
    reserving: can.includes('reserve') || can.includes('line') ? reserving : undefined,
  }
}

type Unset = { readonly [member in keyof AnyStrategy]-?: undefined }

/** All members in one order: what calls strategies stays fast however many are in use, as all are objects of one shape. */
class Shape implements Unset {
  readonly name: undefined
  readonly code: undefined
  readonly can: undefined
  readonly about: undefined
  readonly options: undefined
  readonly numbers: undefined
  readonly parse: undefined
  readonly chosen: undefined
  readonly limitOf: undefined
  readonly look: undefined
  readonly take: undefined
  readonly refuse: undefined
  readonly receipt: undefined
  readonly tellsCounts: undefined
  readonly give: undefined
  readonly reward: undefined
  readonly idleUs: undefined
  readonly redis: undefined
  readonly windowUsOf: undefined
  readonly calendarOf: undefined
  readonly quotaOf: undefined
  readonly countsRequests: undefined
  readonly inFlight: undefined
  readonly noBlocks: undefined
  readonly noJitter: undefined
  readonly refusalsLast: undefined
  readonly leaseUs: undefined
  readonly renew: undefined
  readonly line: undefined
  readonly wants: undefined
  readonly noteBytes: undefined
  readonly repair: undefined
  readonly begin: undefined
  readonly unused: undefined
  readonly charge: undefined
  readonly raise: undefined
  readonly debtUs: undefined
  readonly spacingUs: undefined
  readonly share: undefined
  readonly ahead: undefined
  readonly later: undefined
  readonly entries: undefined
  readonly packed: undefined
  readonly picture: undefined
  readonly places: undefined
  readonly reserving: undefined
}

const shape: object = new Shape()

// biome-ignore lint/suspicious/noExplicitAny: the numbers of the declared options
type Numbers = any

function derivedFrom({ limit, window, lease, maxDebt, noteBytes }: StrategyOptions): Partial<AnyStrategy> {
  return {
    ...(window && { windowUsOf: ({ windowUs }: Numbers) => windowUs }),
    ...(lease && { leaseUs: ({ leaseUs }: Numbers) => leaseUs }),
    ...(maxDebt && { debtUs: ({ maxDebtUs }: Numbers) => maxDebtUs }),
    ...(noteBytes && { noteBytes: (numbers: Numbers) => numbers.noteBytes }),
    ...(limit && {
      share: (numbers: Numbers, processes: number) => ({
        ...numbers,
        limit: shareOf(numbers.limit, processes),
      }),
    }),
  }
}

/** Creates a policy from options; throws an OptionError, worded with `words`. */
export function policyWith(strategy: AnyStrategy, options: object, words?: OptionWords): Policy {
  function bad(path: string, expected: string, got: unknown = Reflect.get(options, path)): never {
    throw optionError(path, expected, got)
  }
  const { blockFor: given, ...own } = (options ?? {}) as BlockFor // what else it has is checked below
  const { unit } = own as Fractions
  if (unit !== undefined) return policyInUnits(strategy, { ...options, unit }, words)
  if (given !== undefined && strategy.noBlocks !== undefined) bad('blockFor', strategy.noBlocks)
  if (strategy.options === undefined) {
    const blocking = given === undefined ? undefined : readBlockFor(given, 'blockFor', words)
    const numbers = strategy.parse?.(given === undefined ? options : own, bad)
    return policyOf(strategy, numbers, { blocking, options })
  }
  const { name, options: declared } = strategy
  const { blockFor: blocking, ...read } = readOptions(
    { name, options: declared },
    options,
    words,
  ) as CommonOptions
  const numbers: unknown = strategy.numbers === undefined ? read : strategy.numbers(read as Numbers, bad) // its options declare that type
  if (blocking !== undefined && strategy.begin?.(numbers, 0) !== undefined) bad('blockFor', noBlocksAtFirst)
  return policyOf(strategy, numbers, { blocking, options })
}

/** The same where a unit is less than 1: its numbers are whole units, and what callers see is not. */
function policyInUnits(
  strategy: AnyStrategy,
  { unit, ...given }: Fractions,
  words: OptionWords | undefined,
): Policy {
  const scale = readUnit(unit, 'unit')
  if (strategy.options === undefined || strategy.inFlight === true || strategy.countsRequests === true)
    throw optionError('unit', `to be left out, as ${strategy.name} counts no amounts`, unit)
  const policy = madeInUnits(strategy, { given, scale }, words)
  const { definition, numbers, blocking } = partsOf(policy)
  return policyOf(definition, numbers, { blocking, options: { ...given, unit }, scale })
}

/** An option that is too large in units is refused as it was written. */
function madeInUnits(
  strategy: AnyStrategy,
  { given, scale }: { given: object; scale: number },
  words: OptionWords | undefined,
): Policy {
  const counted = optionsInUnits(strategy.options ?? {}, given, scale)
  try {
    return policyWith(strategy, counted, words)
  } catch (error) {
    if (!isOptionError(error) || scale === 1) throw error
    const got: unknown = Reflect.get(given, error.path)
    if (got === undefined || got === Reflect.get(counted, error.path)) throw error
    throw optionError(error.path, `${error.expected}, in units of ${1 / scale}`, got)
  }
}

const noBlocksAtFirst = 'to be left out, as the first request of each key is refused here, and would block it'

/** Options of which one, where the strategy has it, is common to all of them. */
interface CommonOptions {
  readonly blockFor?: Blocking
}

/** The strategy of a function that creates policies; undefined for any other function. */
export function strategyOf(maker: object): AnyStrategy | undefined {
  return Reflect.get(maker, 'definition')
}

/** Creates the policy of a strategy with these numbers. */
export function policyOf(definition: AnyStrategy, parsed: unknown, made: MadeOf): Policy {
  const numbers = Object.freeze(parsed)
  const windowUs = definition.windowUsOf?.(numbers)
  const parts = partsWith(definition, numbers, made)
  const face = {
    strategy: definition.name,
    limit: parts.units / parts.scale,
    windowMs: windowUs === undefined ? null : msUp(windowUs),
    can: canOf(definition),
  }
  return makePolicy(face, parts)
}

/** The same policy to whoever reads it, counted by stricter numbers. */
export function countedBy(policy: Policy, numbers: unknown): Policy {
  const { strategy, limit, windowMs, can } = policy
  const { definition, numbers: stated, blocking, options, quota, changing, scale, units } = partsOf(policy)
  const parts = partsWith(definition, Object.freeze(numbers), { blocking, options, changing, scale })
  return makePolicy({ strategy, limit, windowMs, can }, { ...parts, quota, units, stated })
}

/** By the chosen policy, and by the one that it stands in for. */
const chosenOf = new WeakMap<Policy, WeakMap<Policy, Policy>>()

/**
 * The policy that one call has chosen instead of the limiter's own. Readers see the same policy, but what it charges stays charged when
 * later calls have other numbers, and it shortens nothing that other numbers have charged. Returns the same object each time, as the
 * request path compares policies by identity.
 */
export function chosenFor(policy: Policy, own: Policy | null = null): Policy {
  const replaced = own ?? policy
  const known = chosenOf.get(policy)
  const found = known?.get(replaced)
  if (found !== undefined) return found
  const chosen = madeChosen(policy, replaced)
  chosenOf.set(policy, (known ?? new WeakMap<Policy, Policy>()).set(replaced, chosen))
  return chosen
}

function madeChosen(policy: Policy, replaced: Policy): Policy {
  const { definition, numbers, blocking, options, quota, stated, scale, units } = partsOf(policy)
  if (definition.chosen === undefined) return policy
  const usual = replaced.strategy === policy.strategy ? partsOf(replaced).numbers : numbers
  const parts = partsWith(definition, Object.freeze(definition.chosen(numbers, usual)), {
    blocking,
    options,
    scale,
  })
  const { strategy, limit, windowMs, can } = policy
  return makePolicy({ strategy, limit, windowMs, can }, { ...parts, quota, units, stated })
}

type MadeOf = Pick<PolicyParts, 'blocking' | 'options'> & Partial<Pick<PolicyParts, 'changing' | 'scale'>>

function partsWith(
  definition: AnyStrategy,
  numbers: unknown,
  { blocking, options, changing, scale = 1 }: MadeOf,
): PolicyParts {
  return {
    definition,
    numbers,
    args: (definition.redis?.encode(numbers) ?? []).map(String),
    value: `${definition.name} ${JSON.stringify(blocking === undefined ? numbers : [numbers, blocking])}${scale === 1 ? '' : ` unit ${1 / scale}`}`,
    inFlight: definition.inFlight === true,
    tellsCounts: definition.tellsCounts?.(numbers) === true,
    countsRequests: definition.countsRequests === true,
    scale,
    units: definition.limitOf(numbers),
    quota: (definition.quotaOf?.(numbers) ?? definition.limitOf(numbers)) / scale,
    calendar: definition.calendarOf?.(numbers),
    blocking,
    options,
    countsBlocks: blocking !== undefined && countsBlocks(blocking),
    stated: undefined,
    changing,
  }
}

function canOf({ can }: AnyStrategy): { readonly [ability: string]: true } {
  return Object.freeze(Object.fromEntries(can.map((ability) => [ability, true as const])))
}
