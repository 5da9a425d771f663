import { optionError } from '../errors.ts'
import { type Ability, markMaker, type Policy } from '../policy.ts'
import { msUp } from '../units.ts'
import { type Picture, rateWindowUs, spanWords } from './picture.ts'

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

export interface StrategyDefinition<O extends object, Numbers, State, D extends Draft, Can extends Ability> {
  readonly name: string
  readonly can: readonly Can[]
  /** Options to whole numbers (µs); `bad` throws the OptionError. */
  parse(options: O, bad: (path: string, expected: string, got: unknown) => never): Numbers
  limitOf(numbers: Numbers): number
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
  /** The window that the limit speaks of, for headers and ties. @default none */
  windowUsOf?(numbers: Numbers): number
  /** The limit that `RateLimit-Policy` announces. @default limitOf */
  quotaOf?(numbers: Numbers): number
  /** A cost counts as one request, whatever it is. @default false */
  readonly countsRequests?: boolean | undefined
  /** Counts what is under way: taken only when the whole request is allowed, and freed by `release` alone. @default false */
  readonly inFlight?: boolean | undefined
  /** How long what is under way counts without being renewed. */
  leaseUs?(numbers: Numbers): number
  /** Lets a take count on from now; one that no longer counted is taken anew (`held` false), or there is no room (undefined). */
  renew?(
    state: State | undefined,
    nowUs: number,
    taken: Taken<Numbers>,
  ): { readonly state: State; readonly held: boolean } | undefined
  /** What a script reads behind the encoded numbers: a mark of this call, the caller's note. @default none */
  readonly wants?: readonly ('call' | 'note')[] | undefined
  /** Longest note in bytes. @default 0 */
  noteBytes?(numbers: Numbers): number
  /** State further ahead than this strategy can have written, moved to the furthest legal instant; the same object if it is none. */
  repair?(numbers: Numbers, state: State, nowUs: number): State
  /** What an unknown key is given at its first refusal. @default nothing */
  begin?(numbers: Numbers, nowUs: number): State | undefined
  /** Takes units whatever the limit says. @default look, then take */
  charge?(numbers: Numbers, state: State | undefined, units: number, nowUs: number): State
  /** The next call of cost 1 waits at least this long, at most `debtUs` and one spacing: raised, never added. */
  raise?(numbers: Numbers, state: State | undefined, waitUs: number, nowUs: number): State
  /** How far beyond what a check may take `reserve` and `penalize` reach; who can do neither leaves it out. */
  debtUs?(numbers: Numbers): number
  /** How far apart requests of this cost are in the long run; who cannot reserve leaves it out. */
  spacingUs?(numbers: Numbers, cost: number): number
  /** The numbers of one of so many processes that go on by themselves: what all of them admit is what these numbers say. @default the whole limit each */
  share?(numbers: Numbers, processes: number): Numbers
  /** What the strategy remembers of each unit, the oldest first. */
  entries?(state: State, nowUs: number): readonly { readonly note: string; readonly atUs: number }[]
  readonly packed?: Packed<State> | undefined
  /** How pages and reports draw and tell it. @default its name, limit and window */
  picture?(numbers: Numbers): Picture
}

// Strategies of all kinds stand side by side in a store, each with states and numbers of its own.
// biome-ignore lint/suspicious/noExplicitAny: a state goes only to the strategy that made it
export type AnyStrategy = StrategyDefinition<any, any, any, any, any>

/** What a policy carries beside its public face. */
export interface PolicyParts {
  readonly definition: AnyStrategy
  readonly numbers: unknown
  /** The numbers as Lua reads them; encoded once. */
  readonly args: readonly string[]
  /** Two policies of one value decide alike. */
  readonly value: string
}

/** The strategy and the numbers behind a policy. */
export function partsOf(policy: Policy): PolicyParts {
  return policy as Policy & PolicyParts // only makePolicy makes policies, and it puts them there
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

function bad(path: string, expected: string, got: unknown): never {
  throw optionError(path, expected, got)
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
  function policy(options: O): Policy<Can> {
    return policyOf(definition, definition.parse(options, bad)) as Policy<Can> // what it can is in the definition
  }
  return markMaker(Object.defineProperty(policy, 'name', { value: definition.name }))
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
    },
  )
}

function canOf({ can }: AnyStrategy): { readonly [ability: string]: true } {
  return Object.freeze(Object.fromEntries(can.map((ability) => [ability, true as const])))
}
