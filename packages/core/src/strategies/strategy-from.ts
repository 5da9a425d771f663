import { isOptionError, optionError } from '../errors.ts'
import { hints, isRecord } from '../options.ts'
import { type Ability, markMaker, type Policy } from '../policy.ts'
import { type BlockFor, type Blocking, readBlockFor } from './block-for.ts'
import { blockFor, shareOf } from './common-options.ts'
import type { AnyDefinition, AnyStrategy, StrategyDefinition, StrategyDraft } from './definition.ts'
import { type OptionWords, readOptions, type StrategyOptions } from './options.ts'
import { partsOf, policyOf } from './policy-parts.ts'
import { type Fractions, optionsInUnits, readUnit } from './unit.ts'

/** What a limiter needs for the abilities of its strategy. The strategy only passes it on. */
interface Brought {
  /** For requests in flight. */
  readonly places?: object
  /** For callers that reserve or stand in line. */
  readonly reserving?: object
}

/* @__NO_SIDE_EFFECTS__ */
export function strategyFrom<
  O extends object,
  Numbers,
  State,
  D extends StrategyDraft,
  const Can extends Ability = never,
>(
  definition: StrategyDefinition<O, Numbers, State, D, Can> & Brought,
): (options: O & BlockFor & Fractions) => Policy<Can> {
  const strategy = completed(definition, definition.options)
  function policy(options: O & BlockFor & Fractions, ...more: readonly unknown[]): Policy<Can> {
    hints.oneArgument?.(more)
    return policyWith(strategy, options) as Policy<Can> // its abilities are in the definition
  }
  Object.defineProperty(policy, 'name', { value: definition.name })
  Object.defineProperty(policy, 'definition', { value: strategy })
  return markMaker(policy)
}

function completed(
  definition: Omit<AnyDefinition, 'options'> & Brought,
  options: StrategyOptions | undefined,
): AnyStrategy {
  const { name, parse, can, places, reserving } = definition
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
  readonly whenDue: undefined
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
  const { blockFor: given, ...own } = (options ?? {}) as BlockFor & Fractions // what else it has is checked below
  if (own.unit !== undefined) return policyInUnits(strategy, options, words)
  if (given !== undefined && strategy.noBlocks !== undefined) bad('blockFor', strategy.noBlocks)
  if (strategy.options === undefined) {
    const blocking = given === undefined ? undefined : readBlockFor(given, 'blockFor', words)
    const numbers = strategy.parse?.(given === undefined ? options : own, bad)
    return policyOf(strategy, numbers, { blocking, options })
  }
  const { name, options: declared } = strategy
  const { blockFor: blocking, ...read } = readOptions(
    { name, options: declared, inUnits: countsAmounts(strategy) },
    options,
    words,
  ) as { readonly blockFor?: Blocking } // the same in all strategies that have it
  const numbers: unknown = strategy.numbers === undefined ? read : strategy.numbers(read as Numbers, bad) // its options declare that type
  if (blocking !== undefined && strategy.begin?.(numbers, 0) !== undefined) bad('blockFor', noBlocksAtFirst)
  return policyOf(strategy, numbers, { blocking, options })
}

function countsAmounts({ inFlight, countsRequests }: AnyStrategy): boolean {
  return !inFlight && !countsRequests
}

/** The same with the option `unit`: the policy's numbers are whole units, and what callers see are amounts, which may be fractions. */
function policyInUnits(
  strategy: AnyStrategy,
  { unit, ...given }: Fractions,
  words: OptionWords | undefined,
): Policy {
  const scale = readUnit(unit, 'unit')
  if (strategy.options === undefined || !countsAmounts(strategy))
    throw optionError('unit', `to be left out, as ${strategy.name} counts no amounts`, unit)
  const policy = madeInUnits(strategy, { given, scale }, words)
  const { definition, numbers, blocking } = partsOf(policy)
  return policyOf(definition, numbers, { blocking, options: { ...given, unit }, scale })
}

/** The error for an option that is too large in units shows the value as it was written. */
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

/** The strategy of a function that creates policies. Undefined for anything else: a bundled list also has what was added to `Object.prototype`. */
export function strategyOf(maker: object): AnyStrategy | undefined {
  return Reflect.get(Object(maker), 'definition')
}

/**
 * The Redis half of one of Sluice's own strategies. `redis/` has its script by the strategy's name, so that a program without Redis
 * has none of them.
 */
/* @__NO_SIDE_EFFECTS__ */
export function inRedis<Numbers>(encode: (numbers: Numbers) => readonly number[]): {
  encode(numbers: Numbers): readonly number[]
  readonly lua: ''
} {
  return { encode, lua: '' }
}

/**
 * The policy with these options in place of its own of the same names; throws an OptionError. Not `blockFor`: whether
 * the store can block was checked when the limiter was made.
 */
export function policyWithOptions(policy: Policy, options: unknown): Policy {
  if (!isRecord(options)) throw optionError('options', 'options such as { limit: 50 }', options)
  if (Object.hasOwn(options, 'blockFor'))
    throw optionError('options.blockFor', 'to be left out, as it does not change', options.blockFor)
  if (Object.keys(options).length === 0) throw optionError('options', 'at least one option', options)
  const { definition, options: own } = partsOf(policy)
  return policyWith(definition, { ...own, ...options })
}
