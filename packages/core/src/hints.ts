import { monotonicClock } from './clock.ts'
import { optionError } from './errors.ts'
import { docs, Reports } from './observer.ts'
import {
  type NewLimiter,
  type NewPolicy,
  nearest,
  noSuchOption,
  type noSuchOptionHere as plain,
  type Times,
  type Warned,
  type WithLanes,
  withHints,
} from './options.ts'
import { counterpartOf } from './other-libraries.ts'
import { isPolicy, type Policy } from './policy.ts'
import { requiredOf, type WithOptions } from './strategies/options.ts'
import { partsOf } from './strategies/policy-parts.ts'

const insteadOfDecide =
  'a store with answer(question), write answer: async (question) => (await decide([question]))[0]'

/** What to write instead of an unknown option, where it is known what was meant. */
function hintFor(option: string, names: readonly string[], policy?: NewPolicy): string | undefined {
  if (option === 'decide') return insteadOfDecide
  if (option === 'lease' && names.includes('ahead')) return "a known option; write ahead: '20ms'"
  const ofServers = names.includes('sentinels')
  if (option === 'name' && ofServers) return "a known option; write master: 'mymaster'"
  // Names that caches have for it.
  const asCache = names.includes('maxKeys') && /^(max|maxSize|size)$/.test(option)
  const { page = '', text } = counterpartOf(asCache ? 'maxKeys' : option) ?? {}
  const ofPolicies = page.startsWith('strategies/')
  if (text !== undefined && (policy === undefined || !ofPolicies))
    return `a known option; write ${text}, see ${docs}${page}`
  // Who is used to ioredis may write its options.
  if (ofServers && nearest(option, names) === undefined)
    return `${noSuchOption(option, names)}, or a client of ioredis with its own options`
  if (policy === undefined) return undefined
  // The numbers of another strategy have an example in the table, its other options have none.
  const lacksAny = neededBy(policy).some(([each]) => Reflect.get(policy.given, each) === undefined)
  const isMeant = text?.startsWith('policy') || (lacksAny && nearest(option, names) === undefined)
  const { name } = policy.strategy as WithOptions // policyWith passes one
  return isMeant ? `a known option; write ${name}(${valuesOf(policy)})` : undefined
}

/** What makes a limiter needs a policy, and what is called with a policy can have one among its options; else the first option is shown. */
function exampleFor(value: unknown, names: readonly string[], strategy?: object): string {
  const needsPolicy = names.includes(isPolicy(value) ? 'policy' : 'charge')
  const first = needsPolicy ? 'policy: gcra({ … })' : `${names[0]}: …`
  const example = strategy === undefined ? `{ ${first} }` : valuesOf({ strategy, given: {} })
  return ` such as ${example}${oddOneOf(value, names)}`
}

/** The first unknown name of an instance whose names are mostly known: a class of options, and no store or limiter. */
function oddOneOf(value: unknown, names: readonly string[]): string {
  const keys = Object.keys(Object(value))
  const odd = keys.filter((key) => !names.includes(key))
  return odd.length > 0 && 2 * odd.length <= keys.length ? ` without "${odd[0]}"` : ''
}

/** The options that its strategy needs, with the values of an example. */
function neededBy({ strategy }: NewPolicy): readonly (readonly [option: string, example: unknown])[] {
  const { options } = strategy as WithOptions // as above
  return requiredOf(options).map(([name, { example }]) => [name, example])
}

function valuesOf(policy: NewPolicy): string {
  return literal(Object.fromEntries(neededBy(policy)))
}

function literal(value: unknown): string {
  if (value === undefined) return '…'
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`)
  return `{ ${members.join(', ')} }`
}

/** Throws for a second argument of what takes one: in JavaScript it would have no effect. An index, as `map` adds, passes. */
export function oneArgument([second]: readonly unknown[]): void {
  const given = Object(second)
  if (second !== given) return
  const where = 'answer' in given ? 'the store is an option: { …, store }' : 'all options are in the first'
  throw optionError('arguments[1]', `nothing, as ${where}`, second)
}

/** Warns of times that were most likely meant in seconds: numbers of milliseconds. A text has its unit. `owner` follows their names. */
function warnIfShort(limiter: Warned, times: Times, owner = ''): void {
  // Most policies are called "default".
  const whose = limiter.name === undefined ? owner : `${owner} of limiter "${limiter.name}"`
  for (const [name, time] of Object.entries(times)) {
    if (typeof time === 'number' && time > 0 && time < 1000)
      limiter.warned?.({
        code: 'SLUICE_SHORT_TIME',
        message: `${name}${whose} is ${time} ms: for seconds write '${time}s'`,
      })
  }
}

/** The same for the window, the block and the lease of a policy. One request in a part of a second is a pause. `hasFields`: see below. */
function warnOfPolicy(limiter: Warned, name: string, policy: Policy, hasFields = false): void {
  const {
    limits,
    window = typeof limits?.[0]?.window === 'number' && policy.windowMs,
    period = window,
    blockFor,
    lease,
  } = Object(partsOf(policy).options)
  const times = {
    // Without a window it is made of other numbers, as that of a short burst is.
    'the window': policy.limit > 1 && (hasFields && window !== false ? policy.windowMs : period),
    lease,
    blockFor: blockFor?.first ?? blockFor,
  }
  warnIfShort(limiter, times, ` of policy "${name}"`)
}

/**
 * The same for `times` by their names, and the policies that are known beforehand. `hasFields`: windows that are texts count too, as the
 * fields of a response have whole seconds. `limiter`: one, or the reports of something else.
 */
export function warnOfShortTimes(
  limiter: WithLanes = new Reports([], console),
  times: Times = {},
  hasFields = false,
): void {
  warnIfShort(limiter, times)
  for (const { name, policy } of limiter.lanes ?? []) {
    if (policy !== null) warnOfPolicy(limiter, name, policy, hasFields)
  }
}

/** Warns of a limiter that most likely shares its counts with another open one, of other policies: on one store this is an error. */
function warnOfNamesake(limiter: NewLimiter): void {
  const { name, store } = limiter
  if (store.prefix === undefined) return
  const values = new Set<string>()
  for (const each of monotonicClock.unmoved) {
    const { prefix, limiters } = each.deref() ?? {}
    const namesake = prefix === store.prefix ? limiters?.get(name) : undefined
    if (namesake !== undefined) values.add(namesake.value)
  }
  if (values.size > 1)
    limiter.warned?.({
      code: 'SLUICE_SAME_NAME',
      message: `another limiter called "${name}" counts other policies under the same keys: rename one`,
    })
}

function warnOfNew(limiter: NewLimiter): void {
  warnOfShortTimes(limiter)
  warnOfNamesake(limiter)
}

/** Importing this adds hints to the errors about unknown options. */
export const noSuchOptionHere: typeof plain = /* @__PURE__ */ withHints({
  for: hintFor,
  example: exampleFor,
  oneArgument,
  warnIfShort,
  warnOfPolicy,
  warnOfNew,
})
