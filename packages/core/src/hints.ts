import { optionError } from './errors.ts'
import { docs, Reports } from './observer.ts'
import {
  type NewPolicy,
  nearest,
  type noSuchOptionHere as plain,
  type Warned,
  type WithLanes,
  withHints,
} from './options.ts'
import { counterpartOf } from './other-libraries.ts'
import { isPolicy, type Policy } from './policy.ts'
import { isRequired, type WithOptions } from './strategies/options.ts'
import { partsOf } from './strategies/policy-parts.ts'

const insteadOfDecide =
  'a store with answer(question), write answer: async (question) => (await decide([question]))[0]'

/** What to write instead of an unknown option, where it is known what was meant. */
function hintFor(option: string, names: readonly string[], policy?: NewPolicy): string | undefined {
  if (option === 'decide') return insteadOfDecide
  if (option === 'lease' && names.includes('ahead')) return "a known option; write ahead: '20ms'"
  const { page = '', text } = counterpartOf(option) ?? {}
  const ofPolicies = page.startsWith('strategies/')
  if (text !== undefined && (policy === undefined || !ofPolicies))
    return `a known option; write ${text}, see ${docs}${page}`
  if (policy === undefined) return undefined
  // The numbers of another strategy have an example in the table, its other options have none.
  const isMeant = text?.startsWith('policy') || (lacksAny(policy) && nearest(option, names) === undefined)
  return isMeant ? `a known option; write ${exampleOf(policy)}` : undefined
}

/** What makes a limiter needs a policy, and what is called with a policy can have one among its options; else the first option is shown. */
function exampleFor(value: unknown, names: readonly string[], strategy?: object): string {
  if (strategy !== undefined) return ` such as ${valuesOf({ strategy, given: {} })}`
  const needsPolicy = names.includes(isPolicy(value) ? 'policy' : 'charge')
  return ` such as { ${needsPolicy ? 'policy: gcra({ … })' : `${names[0]}: …`} }`
}

/** The options that its strategy needs, with the values of an example. */
function neededBy({ strategy }: NewPolicy): readonly (readonly [option: string, example: unknown])[] {
  const { options } = strategy as WithOptions // policyWith passes one
  const needed = Object.entries(options).filter(([, option]) => isRequired(option))
  return needed.map(([name, { example }]) => [name, example])
}

function lacksAny(policy: NewPolicy): boolean {
  return neededBy(policy).some(([name]) => Reflect.get(policy.given, name) === undefined)
}

/** `gcra({ count: 100, period: '1m' })` */
function exampleOf(policy: NewPolicy): string {
  const { name } = policy.strategy as WithOptions // as above
  return `${name}(${valuesOf(policy)})`
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

/** Warns of a time that was most likely meant in seconds: a number of milliseconds. A text has its unit. */
function warnIfShort(limiter: Warned, what: string, time: unknown): void {
  if (typeof time !== 'number' || time <= 0 || time >= 1000) return
  // Most policies are called "default".
  const whose = limiter.name === undefined ? '' : ` of limiter "${limiter.name}"`
  limiter.warned?.('SLUICE_SHORT_TIME', `${what}${whose} is ${time} ms: for seconds write '${time}s'`)
}

/** The same for the window and the block of a policy. One request in a part of a second is a pause. `hasFields`: see below. */
function warnOfPolicy(limiter: Warned, name: string, policy: Policy, hasFields = false): void {
  const {
    limits,
    window = typeof limits?.[0]?.window === 'number' && policy.windowMs,
    period = window,
    blockFor,
  } = Object(partsOf(policy).options)
  if (policy.limit > 1)
    warnIfShort(limiter, `the window of policy "${name}"`, hasFields ? policy.windowMs : period)
  warnIfShort(limiter, `blockFor of policy "${name}"`, blockFor?.first ?? blockFor)
}

/**
 * The same for `times` by their names, and the policies that are known beforehand. `hasFields`: windows that are texts count too, as the
 * fields of a response have whole seconds. `hears`: a limiter, or the reports of something else.
 */
export function warnOfShortTimes(
  hears: WithLanes | Reports = new Reports([], console),
  times: { readonly [name: string]: unknown } = {},
  hasFields = false,
): void {
  const limiter: WithLanes =
    hears instanceof Reports ? { warned: (code, message) => hears.warned({ code, message }) } : hears
  for (const [name, time] of Object.entries(times)) warnIfShort(limiter, name, time)
  for (const { name, policy } of limiter.lanes ?? []) {
    if (policy !== null) warnOfPolicy(limiter, name, policy, hasFields)
  }
}

/** Importing this adds hints to the errors about unknown options. */
export const noSuchOptionHere: typeof plain = /* @__PURE__ */ withHints({
  for: hintFor,
  example: exampleFor,
  oneArgument,
  warnIfShort,
  warnOfPolicy,
  warnOfShortTimes,
})
