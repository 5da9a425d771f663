import { optionError } from '../errors.ts'
import { type Ability, markMaker, type Policy } from '../policy.ts'
import { msUp } from '../units.ts'
import {
  type DeclaredOptions,
  type OptionWords,
  type ReadOptions,
  readOptions,
  type StrategyOptions,
} from './options.ts'
import { type Picture, rateWindowUs, spanWords } from './picture.ts'
import { shareOf } from './share.ts'

/** What a look drafts: the answer, and whatever `take` needs to write it. */
export interface Draft {
  readonly allowed: boolean
  readonly limit: number
  /** Units left as this call leaves the key: once the cost is taken, where it is allowed. */
  readonly remaining: number
  /** Until the same cost would be allowed; 0 when allowed, null when waiting never helps (it costs more than can ever fit). */
  readonly retryAfterUs: number | null
  /** Until the key is as good as new, as this call leaves it. */
  readonly resetAfterUs: number
  readonly waitUs?: number
}

/** The call that takes: its instant, a mark that tells it from every other call, and the caller's note. */
export interface Call {
  readonly nowUs: number
  readonly id: string
  readonly note: string
}

/** The take that is given back. */
interface Taken<Numbers> {
  readonly receipt: string
  readonly numbers: Numbers
  /** Units that the take was charged. */
  readonly charged: number
}

/** A state of numbers only, kept in a Float64Array rather than as an object of its own. */
export interface Packed<State> {
  readonly width: number
  /** A state to load into: one serves call after call, so that reading a key makes no object. */
  blank(): State
  load(values: Float64Array, at: number, state: State): void
  save(values: Float64Array, at: number, state: State): void
}

/** Throws an OptionError. @default of `got`: the option of that name as it was written */
export type Bad = (path: string, expected: string, got?: unknown) => never

export interface StrategyDefinition<O extends object, Numbers, State, D extends Draft, Can extends Ability> {
  readonly name: string
  readonly can: readonly Can[]
  /** What passes, in one sentence: editors show it. */
  readonly about?: string | undefined
  /** The options as data: checking them, their errors and their tables follow from it. Left out where `parse` is given. */
  readonly options?: DeclaredOptions<O> | undefined
  /** Declared options, checked one by one, to whole numbers (µs). `bad` throws an OptionError. @default the options as they were read */
  numbers?(read: ReadOptions<O>, bad: Bad): Numbers
  /** Options of any form to whole numbers (µs), in the place of `options` and `numbers`; `bad` throws the OptionError. */
  parse?(options: O, bad: (path: string, expected: string, got: unknown) => never): Numbers
  /** @default the number `limit` */
  limitOf?(numbers: Numbers): number
  /** Reads and computes, changes nothing. The draft is good for `take` even when it refuses (a penalty takes anyway, and so does a reservation). */
  look(numbers: Numbers, state: State | undefined, nowUs: number, cost: number): D
  /** The state that the draft describes; the old one may be changed in place. */
  take(state: State | undefined, draft: D, call: Call): State
  /** Of a take, from the state it left and its draft; left out: `give` is asked only while the state is still that one. */
  receipt?(state: State, draft: D): string | number
  /** Gives back no more than what the receipt's own charge still holds; the old state may be changed in place. */
  give?(state: State, units: number, nowUs: number, taken: Taken<Numbers>): State
  /** After this the state may go. */
  idleUs(numbers: Numbers, state: State, nowUs: number): number
  /** Left out: a Redis store refuses the policy at construction. */
  readonly redis?: { encode(numbers: Numbers): readonly number[]; readonly lua: string }

  /** Two letters in the state's key. @default the name */
  readonly code?: string | undefined
  /** The window that the limit speaks of, for headers and ties. @default the number of a declared option `window`, else none */
  windowUsOf?(numbers: Numbers): number
  /** The limit that `RateLimit-Policy` announces. @default limitOf */
  quotaOf?(numbers: Numbers): number
  /** A cost counts as one request, whatever it is. @default false */
  readonly countsRequests?: boolean | undefined
  /** Counts what is under way: taken only when the whole request is allowed, and freed by `release` alone. @default false */
  readonly inFlight?: boolean | undefined
  /** How long what is under way counts without being renewed. @default the number of a declared option `lease`, else forever */
  leaseUs?(numbers: Numbers): number
  /** Lets a take count on from now; one that no longer counted is taken anew (`held` false), or there is no room (undefined). */
  renew?(
    state: State | undefined,
    nowUs: number,
    taken: Taken<Numbers>,
  ): { readonly state: State; readonly held: boolean } | undefined
  /** What a script reads behind the encoded numbers: a mark of this call, the caller's note. @default none */
  readonly wants?: readonly ('call' | 'note')[] | undefined
  /** Longest note in bytes. @default the number of a declared option `noteBytes`, else 0 */
  noteBytes?(numbers: Numbers): number
  /** State further ahead than this strategy can have written, moved to the furthest legal instant; the same object if it is none. */
  repair?(numbers: Numbers, state: State, nowUs: number): State
  /** What an unknown key is given at its first refusal. @default nothing */
  begin?(numbers: Numbers, nowUs: number): State | undefined
  /** Takes units whatever the limit says. @default look, then take */
  charge?(numbers: Numbers, state: State | undefined, units: number, nowUs: number): State
  /** The next call of cost 1 waits at least this long, at most `debtUs` and one spacing: raised, never added. */
  raise?(numbers: Numbers, state: State | undefined, waitUs: number, nowUs: number): State
  /** How far beyond what a check may take `reserve` and `penalize` reach. @default the number of a declared option `maxDebt`, else 0 */
  debtUs?(numbers: Numbers): number
  /** How far apart requests of this cost are in the long run; who cannot reserve leaves it out. */
  spacingUs?(numbers: Numbers, cost: number): number
  /** One process's numbers while the store is unreachable and each counts for itself. @default a part of a declared option `limit`, else the whole limit each */
  share?(numbers: Numbers, processes: number): Numbers
  /** What the strategy remembers of each unit, the oldest first. */
  entries?(state: State, nowUs: number): readonly { readonly note: string; readonly atUs: number }[]
  readonly packed?: Packed<State> | undefined
  /** How pages and reports draw and tell it. @default its name, limit and window */
  picture?(numbers: Numbers): Picture
}

// Strategies of all kinds stand side by side in a store, each with states and numbers of its own.
// biome-ignore lint/suspicious/noExplicitAny: a state goes only to the strategy that made it
type AnyDefinition = StrategyDefinition<any, any, any, any, any>

/** A definition with all that follows from its declared options. */
export interface AnyStrategy extends Omit<AnyDefinition, 'options'> {
  readonly options?: StrategyOptions | undefined
  readonly code: string
  limitOf(numbers: unknown): number
}

/** What a policy carries beside its public face. */
export interface PolicyParts {
  readonly definition: AnyStrategy
  readonly numbers: unknown
  /** The numbers as Lua reads them; encoded once. */
  readonly args: readonly string[]
  /** Two policies of one value decide alike. */
  readonly value: string
  /** Counts what is under way. */
  readonly inFlight: boolean
  /** A cost counts as one request, whatever it is. */
  readonly countsRequests: boolean
  /** The limit that `RateLimit-Policy` announces. */
  readonly quota: number
}

/** The strategy and the numbers behind a policy. */
export function partsOf(policy: Policy): PolicyParts {
  return policy as Policy & PolicyParts // only makePolicy makes policies, and it puts them there
}

/** true where a policy counts what is under way. */
export function isInFlight({ policy }: { readonly policy: Policy }): boolean {
  return partsOf(policy).inFlight
}

/** How long what is under way counts without being renewed. */
export function leaseUs({ policy }: { readonly policy: Policy }): number {
  const { definition, numbers } = partsOf(policy)
  return definition.leaseUs?.(numbers) ?? Number.POSITIVE_INFINITY
}

/** How a policy is drawn and told, for pages and reports. */
export function pictureOf(policy: Policy): Picture {
  const { definition, numbers } = partsOf(policy)
  if (definition.picture !== undefined) return definition.picture(numbers)
  const { strategy: title, limit } = policy
  const windowUs = definition.windowUsOf?.(numbers)
  if (windowUs === undefined)
    return { title, rule: `limit ${limit}`, windowUs: rateWindowUs, most: null, shape: 'none' }
  return { title, rule: `${limit} in ${spanWords(windowUs)}`, windowUs, most: limit, shape: 'none' }
}

/** The parts are not enumerable: a policy prints as the data that it is. */
function makePolicy(face: Omit<Policy, 'type'>, parts: PolicyParts): Policy {
  const policy: Policy = { type: 'sluice.policy', ...face }
  for (const [name, value] of Object.entries(parts)) Object.defineProperty(policy, name, { value })
  return Object.freeze(policy)
}

/**
 * A strategy of your own. The answer is its policy's constructor, which validates its options when it is called.
 *
 * @example
 * const everyOther = defineStrategy({ name: 'everyOther', can: [], parse: …, limitOf: …, look: …, take: …, idleUs: … })
 * createLimiter({ policy: everyOther({ … }) })
 */
export function defineStrategy<
  O extends object,
  Numbers,
  State,
  D extends Draft,
  const Can extends Ability = never,
>(definition: StrategyDefinition<O, Numbers, State, D, Can>): (options: O) => Policy<Can> {
  const strategy = completed(definition, definition.options)
  function policy(options: O): Policy<Can> {
    return policyOf(strategy, numbersOf(strategy, options)) as Policy<Can> // what it can is in the definition
  }
  Object.defineProperty(policy, 'name', { value: definition.name })
  Object.defineProperty(policy, 'definition', { value: strategy })
  return markMaker(policy)
}

function completed(definition: Omit<AnyDefinition, 'options'>, options?: StrategyOptions): AnyStrategy {
  const { name, parse } = definition
  if ((options === undefined) === (parse === undefined))
    throw optionError(name, 'either `options` or `parse`', options)
  const { code = name } = definition
  return {
    limitOf: ({ limit }: Numbers) => limit,
    ...derivedFrom(options ?? {}),
    ...definition,
    options,
    code,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: numbers of the option that is declared
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

/** Options as numbers; throws an OptionError, in those words. */
export function numbersOf(strategy: AnyStrategy, options: object, words?: OptionWords): unknown {
  function bad(path: string, expected: string, got: unknown = Reflect.get(options, path)): never {
    throw optionError(path, expected, got)
  }
  if (strategy.options === undefined) return strategy.parse?.(options, bad)
  const read = readOptions(strategy.options, options, words)
  return strategy.numbers === undefined ? read : strategy.numbers(read as Numbers, bad) // as its options declare
}

/** The strategy behind its constructor; undefined for any other function. */
export function strategyOf(maker: object): AnyStrategy | undefined {
  return Reflect.get(maker, 'definition')
}

/** The policy of a strategy with these numbers. */
export function policyOf(definition: AnyStrategy, parsed: unknown): Policy {
  const numbers = Object.freeze(parsed)
  const windowUs = definition.windowUsOf?.(numbers)
  return makePolicy(
    {
      strategy: definition.name,
      limit: definition.limitOf(numbers),
      windowMs: windowUs === undefined ? null : msUp(windowUs),
      can: canOf(definition),
    },
    {
      definition,
      numbers,
      args: (definition.redis?.encode(numbers) ?? []).map(String),
      value: `${definition.name} ${JSON.stringify(numbers)}`,
      inFlight: definition.inFlight === true,
      countsRequests: definition.countsRequests === true,
      quota: definition.quotaOf?.(numbers) ?? definition.limitOf(numbers),
    },
  )
}

function canOf({ can }: AnyStrategy): { readonly [ability: string]: true } {
  return Object.freeze(Object.fromEntries(can.map((ability) => [ability, true as const])))
}
