import { isStore } from '../answers.ts'
import type { PerPolicy } from '../decision/decision.ts'
import type { LaneSettings } from '../decision/lane.ts'
import { optionError } from '../errors.ts'
import { type Lists, readLists } from '../lists.ts'
import { type Logger, type Observer, readLogger, readObservers } from '../observer.ts'
import { booleanOption, checkNames, isRecord, noSuchOptionHere, oneOf, wholeNumber } from '../options.ts'
import { isMaker, isPolicy, type Policies, type Policy } from '../policy.ts'
import type { Charge, Counting, FailureChoice, Store } from '../store.ts'
import { type Duration, durationUs } from '../units.ts'
import { checkPerPolicy, readName } from './policy-names.ts'
import { type Prices, readPrices } from './prices.ts'

export interface LimiterSettings<N extends string = string> {
  /**
   * Limiters with the same name on one store share counts, also across processes; with different names never. A second open limiter with
   * the same name but other policies on one store is an OptionError. @default 'default'
   */
  name?: string | undefined
  /** Where counts are kept, such as `redisStore(url)`. @default its own memoryStore() */
  store?: Store | undefined
  /** What is charged when one of several policies refuses: nothing, or every policy that allows. @default 'all-or-nothing' */
  charge?: Charge | undefined
  /** Decide and record, but never refuse, and send no response fields. @default false */
  shadow?: PerPolicy<N, boolean> | undefined
  /** What to do while the store cannot answer: count in this process, let through, or refuse with 503. @default 'local' */
  onStoreFailure?: PerPolicy<N, FailureChoice> | undefined
  /**
   * For keys that are asked for very often: units are taken from the store ahead, and used in this process for at most this long. What
   * is not used goes back. Never more pass than the policies say, over all processes; a little less may, and blocks and counts by hand
   * of other processes are in force that much later. At least `'1ms'` and at most a tenth of the shortest window; only with a
   * store elsewhere, such as `redisStore()`. @default none
   *
   * @example ahead: '20ms'
   */
  ahead?: Duration | undefined
  /**
   * How many of a list key's leading members choose the cluster slot: keys with the same members share it, and their policies are
   * checked in one call. @default all of them
   *
   * @example tag: 1 // ['org-7', 'alice'] and ['org-7', 'bob'] are on one server
   */
  tag?: PerPolicy<N, number> | undefined
  /**
   * Units by kind of request: a kind is then named as the `cost`, and counted by its name in metrics and recordings. @default none
   *
   * @example prices: { read: 1, write: 5, export: 100 } // limiter.check('bob', { cost: 'write' })
   */
  prices?: Prices<N> | undefined
  /** The most callers that `wait`, `run` and `maxWait` delay at once; beyond it a caller that would have to wait is refused. @default 10_000 */
  maxSleepers?: number | undefined
  /** Hear of decisions, and of what happens to keys and to the store. @default none */
  observers?: readonly Observer[] | undefined
  /**
   * Addresses and keys that are let pass, denied or blocked for a time, by whoever changes these lists while the program runs: they
   * come before every policy, and nothing is counted. @default none
   *
   * @example lists: [ops.lists] // of operations({ redis })
   */
  lists?: readonly Lists[] | undefined
  /** Gets each warning once, and store events at most once per kind and second. @default console */
  logger?: Logger | undefined
}

export const settingNames = [
  'name',
  'store',
  'charge',
  'shadow',
  'onStoreFailure',
  'tag',
  'prices',
  'maxSleepers',
  'observers',
  'lists',
  'logger',
] as const

/** The names of a limiter's options. */
export const limiterNames: readonly ('policy' | 'policies' | 'ahead' | (typeof settingNames)[number])[] = [
  'policy',
  'policies',
  'ahead',
  ...settingNames,
]

/** Settings as any limiter keeps them. */
export interface CommonSettings extends LaneSettings {
  readonly store: Store | undefined
  /** A store around `store` that is asked in its place, and belongs to the limiter. @default the store itself */
  readonly around?: Store
  readonly charge: Charge | undefined
  readonly prices: Prices | undefined
  readonly maxSleepers: number
  readonly observers: readonly Observer[]
  readonly lists: readonly Lists[]
  readonly logger: Logger
}

/** Settings of a limiter whose policies are known beforehand. */
export interface PolicySettings extends CommonSettings, Counting {
  readonly charge: Charge
}

/** `policy: p` is short for `policies: { default: p }`. */
export type LimiterOptions = LimiterSettings & {
  policy?: Policy | undefined
  policies?: Policies | undefined
}

export function readSettings(options: LimiterOptions): PolicySettings {
  checkNames(options, '', limiterNames, noSuchOptionHere)
  return settingsFor(options, readPolicies(options, readPolicy))
}

/** Settings for policies that were read before. */
export function settingsFor(options: LimiterSettings, policies: PolicySettings['policies']): PolicySettings {
  const common = readCommonSettings(options, Object.keys(policies))
  const { charge = 'all-or-nothing', store } = common
  const settings = { ...common, charge, policies }
  if (options.ahead === undefined) return settings
  const around = store?.ahead?.(durationUs(options.ahead, 'ahead'), settings)
  if (around !== undefined) return { ...settings, ...around }
  const expected = `to be left out, as nothing is taken ahead from the store ${store?.name ?? 'memory'}`
  throw optionError('ahead', expected, options.ahead)
}

/** Reads the settings that any limiter has. `names`: of its policies; undefined where they are not known beforehand. */
export function readCommonSettings(
  options: LimiterSettings,
  names: readonly string[] | undefined,
): CommonSettings {
  checkPerPolicy(options.shadow, { path: 'shadow', names }, booleanOption)
  checkPerPolicy(options.onStoreFailure, { path: 'onStoreFailure', names }, (choice, path) =>
    oneOf(choice, path, ['local', 'allow', 'deny']),
  )
  checkPerPolicy(options.tag, { path: 'tag', names }, (tag, path) => wholeNumber(tag, path, 1))
  const { store } = options
  if (store !== undefined && !isStore(store, 'store'))
    throw optionError('store', 'a store such as memoryStore() or redisStore(…)', store)
  const { name = 'default', charge, shadow, onStoreFailure, tag, maxSleepers = 10_000 } = options
  return {
    name: readName(name, 'name'),
    store,
    charge: charge === undefined ? undefined : oneOf(charge, 'charge', ['all-or-nothing', 'every-level']),
    shadow,
    onStoreFailure,
    tag,
    prices: readPrices(options.prices, names),
    maxSleepers: wholeNumber(maxSleepers, 'maxSleepers', 1),
    observers: readObservers(options.observers),
    lists: readLists(options.lists),
    logger: readLogger(options.logger),
  }
}

const example = 'gcra({ count: 100, period: "1m" })'
const byName = 'policies by name such as { visitor: gcra({ … }) }, or policy: gcra({ … }) for one'
const oneAlone = 'one policy, or policies: { visitor: gcra({ … }) } for several'

/** Whether a value is a list of policies, or policies by name. */
function holdsPolicies(value: unknown): boolean {
  return Object.values(Object(value)).some(isPolicy)
}

/** One policy or several by name, each read as `read` says. */
export function readPolicies<T>(
  { policy, policies }: { policy?: unknown; policies?: unknown },
  read: (policy: unknown, path: string) => T,
): { readonly [name: string]: T } {
  if (policy !== undefined && policies !== undefined)
    throw optionError('policies', 'either policy or policies, not both', policies)
  if (policy !== undefined) {
    if (holdsPolicies(policy)) throw optionError('policy', oneAlone, policy)
    return { default: read(policy, 'policy') }
  }
  if (policies === undefined)
    throw optionError('policy', `a policy such as ${example}, or several as policies`, policy)
  if (isPolicy(policies) || !isRecord(policies)) throw optionError('policies', byName, policies)
  const entries = Object.entries(policies)
  if (entries.length === 0) throw optionError('policies', 'at least one policy', policies)
  return Object.fromEntries(
    entries.map(([name, each]) => {
      const path = `policies.${name}`
      return [readName(name, path), read(each, path)]
    }),
  )
}

export function readPolicy(policy: unknown, path: string): Policy {
  if (isPolicy(policy)) return policy
  const how = isMaker(policy) ? ': call the strategy, as in' : ' such as'
  throw optionError(path, `a policy${how} ${example}`, policy)
}
