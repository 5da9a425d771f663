import { type NotApplicable, notApplicable, type PerPolicy, type Store } from '@sluice/core'
import { checkNames, limiters, optionError } from '@sluice/core/internal'
import { Gate, policiesOf } from './gate.ts'
import { limiterFor } from './limiter-for.ts'
import type { AnyOptions } from './options.ts'
import {
  checkCost,
  fixedPolicies,
  gateNames,
  readChoices,
  readRules,
  routeNames,
  routeSettings,
} from './rules.ts'
import { refusing } from './slow-down.ts'

/** How a route's options relate to those of the gate for all routes. */
export interface RouteAbout<Req extends object> {
  /** undefined where there are no policies for all routes. */
  readonly parent: Gate<Req> | undefined
  readonly parentOptions: AnyOptions<Req>
  /** Where routes without a parent count. */
  readonly store?: Store
  /** Names the route's own counts. */
  readonly name: string
  /** Decide the parent's policies and the route's in one question. */
  readonly inherit: boolean
  /** Options that an adapter adds. */
  readonly extra: readonly string[]
}

export type RouteOptions<Req> = AnyOptions<Req> & {
  /** Policies of all routes that do not apply on this one. */
  readonly without?: readonly string[] | undefined
}

type Choices<Req> = ReturnType<typeof readChoices<Req>>

/** Checks options for all routes that have no policy among them. */
export function checkShared<Req>(options: AnyOptions<Req>, extra: readonly string[]): void {
  checkNames(options, '', [...gateNames, ...extra], limiters.noSuchOptionHere)
  readRules(options)
  limiters.readCommonSettings(options, undefined)
}

/** Such as `store`: a route counts where all routes do. */
function noSuchOptionOfRoute(name: string, names: readonly string[]): string {
  if (gateNames.includes(name)) return 'nothing here: write it beside the options of all routes'
  return limiters.noSuchOptionHere(name, names)
}

/** A gate for one route: its own options over the parent's, its own policies in place of the parent's or beside them. */
export function createRouteGate<Req extends object>(
  options: RouteOptions<Req>,
  about: RouteAbout<Req>,
): Gate<Req> {
  const { parent, parentOptions, extra } = about
  checkNames(options, '', [...routeNames, 'without', ...extra], noSuchOptionOfRoute)
  const { without: names, ...own } = said(options)
  // What all routes have for their refusals means nothing on one that refuses nobody.
  const unused =
    own.slowDown === undefined ? {} : Object.fromEntries(refusing.map((name) => [name, undefined]))
  const whole = { ...parentOptions, ...unused, ...own }
  const rules = readRules(whole)
  const merged = { ...whole, limiter: undefined, policy: undefined }
  const replaces = own.policy !== undefined || own.policies !== undefined
  if (names !== undefined && replaces && !about.inherit)
    throw optionError(
      'without',
      'nothing here, as the policies here replace all others (or inherit: true)',
      names,
    )
  const ofAll = parent === undefined ? {} : policiesOf(parent.limiter)
  const without = readWithout(names, ofAll && Object.keys(ofAll))
  if (replaces) return withOwnPolicies({ own, merged, about, rules, without })
  if (parent === undefined)
    throw optionError('policy', 'a policy or policies, as there are none for all routes', undefined)
  const asParent = { ...merged, policies: { ...choicesOfAll(parentOptions), ...without } }
  const setting = routeSettings.find((each) => each in own)
  if (setting === undefined) {
    checkCost(merged.cost, 'cost', { policies: ofAll, prices: parent.limiter.prices })
    return new Gate(asParent, { limiter: parent.limiter, rules })
  }
  if (parentOptions.limiter !== undefined) {
    throw optionError(setting, 'nothing here, as the `limiter` of all routes brings its own', own[setting])
  }
  // The parent's policies and, under the parent's name, its counts; only how they are decided differs.
  const { name = parent.limiter.name } = own
  const settings = { ...asParent, name, store: parent.limiter.store }
  const policies = fixedPolicies(readChoices(parentOptions))
  const policySettings = limiters.settingsFor(settings, policies)
  checkCost(merged.cost, 'cost', { policies, prices: policySettings.prices })
  const limiter = limiterFor(asParent, { settings: policySettings, rules })
  return new Gate(asParent, { limiter, rules })
}

/** Where all routes have a limiter of their own making, only what is chosen in place of its policies. */
function choicesOfAll<Req>(options: AnyOptions<Req>): Choices<Req> {
  const { limiter, policy, policies } = options
  return limiter !== undefined && policy === undefined && policies === undefined ? {} : readChoices(options)
}

function withOwnPolicies<Req extends object>(route: {
  own: AnyOptions<Req>
  merged: AnyOptions<Req>
  about: RouteAbout<Req>
  rules: ReturnType<typeof readRules>
  without: Without
}): Gate<Req> {
  const { own, merged, about, rules, without } = route
  const { parent, parentOptions } = about
  const lanes = about.inherit ? inheritedLanes(parent) : []
  const choices = besideParent(readChoices(own), lanes)
  const inherited = lanes.filter(({ name }) => !Object.hasOwn(choices, name))
  const names = Object.keys(choices)
  const inheritedNames = inherited.map(({ name }) => name)
  const all = [...inheritedNames, ...names]
  const parentCost = parentOptions.cost
  const isPlain = typeof parentCost === 'function' || typeof parentCost === 'string'
  const {
    name = about.name,
    cost = isPlain ? parentCost : only(all, parentCost),
    shadow = only(names, parentOptions.shadow),
    onStoreFailure = only(names, parentOptions.onStoreFailure),
  } = own
  const prices = pricesAmong(all, parent?.limiter.prices ?? parentOptions.prices)
  const ownPolicies = fixedPolicies(choices)
  checkCost(cost, 'cost', { policies: { ...policiesOf({ lanes: inherited }), ...ownPolicies }, prices })
  const settings = {
    ...merged,
    name,
    store: parent === undefined ? about.store : parent.limiter.store,
    shadow,
    onStoreFailure,
  }
  const policySettings = {
    ...limiters.settingsFor({ ...settings, prices: undefined }, ownPolicies),
    prices,
  }
  const limiter = limiterFor(merged, { settings: policySettings, rules, inherited })
  const policies = inherited.length > 0 ? { ...choicesOfAll(parentOptions), ...choices, ...without } : choices
  // A key of the route's own says whom its own policies count.
  const beside = parent && own.key && lanes.length > 0 ? { gate: parent, names: inheritedNames } : undefined
  return new Gate({ ...merged, policies, cost }, { limiter, rules, beside })
}

/** The prices of all routes, for the policies that take part here. */
function pricesAmong(
  names: readonly string[],
  prices: limiters.CommonSettings['prices'],
): limiters.CommonSettings['prices'] {
  if (prices === undefined) return undefined
  return Object.fromEntries(Object.entries(prices).map(([kind, price]) => [kind, only(names, price) ?? 1]))
}

/** Options that say something: `undefined` leaves the parent's. */
function said<Req>(options: RouteOptions<Req>): RouteOptions<Req> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function inheritedLanes<Req extends object>(parent: Gate<Req> | undefined): readonly limiters.Lane[] {
  const lanes = parent?.limiter.lanes
  if (lanes !== undefined) return lanes
  throw optionError('inherit', 'false, as the limiter of all routes has no policies to decide beside', true)
}

/**
 * A route's policies beside the parent's, of which it takes the place of those with its names. A single one is called `route`, as the
 * parent's single one is called `default`.
 */
function besideParent<Req>(choices: Choices<Req>, inherited: readonly limiters.Lane[]): Choices<Req> {
  if (inherited.length === 0) return choices
  const { default: single, ...others } = choices
  return single === undefined || Object.keys(others).length > 0 ? choices : { route: single }
}

/** Of a record by policies, the entries of those in `names`. */
function only<T extends string | number | boolean>(
  names: readonly string[],
  value: PerPolicy<string, T> | undefined,
): PerPolicy<string, T> | undefined {
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

/** Policies by name, each with a choice per request that always says that it does not apply. */
type Without = { readonly [name: string]: () => NotApplicable }

/** Reads `without`: which policies of all routes do not apply on one. `names` are theirs, undefined where they are not known. */
function readWithout(without: unknown, names: readonly string[] | undefined): Without {
  if (without === undefined) return {}
  if (!Array.isArray(without)) throw optionError('without', 'a list of names of policies', without)
  if (names === undefined)
    throw optionError(
      'without',
      'nothing here, as the limiter of all routes has no policies by name',
      without,
    )
  const unknown = without.find((name) => !names.includes(name))
  if (unknown !== undefined) throw limiters.unknownPolicy('without', String(unknown), names)
  return Object.fromEntries(without.map((name) => [name, () => notApplicable]))
}
