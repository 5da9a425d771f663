import { optionError } from './errors.ts'
import { isPolicy, type Policy } from './policy.ts'
import type { Store, Warning } from './store.ts'

/** Checks an object of options, `strategy`'s if it is given: an unknown name is an OptionError, which says what `expected` answers. */
export function checkNames(
  options: unknown,
  path: string,
  names: readonly string[],
  expected: (name: string, names: readonly string[]) => string = noSuchOption,
  strategy?: object,
): void {
  for (const name of Object.keys(Object(options))) {
    if (names.includes(name)) continue
    if (isPolicy(options) || !isRecord(options)) throw noOptions(options, path, names, strategy)
    throw optionError(join(path, name), expected(name, names), name)
  }
  // An instance of a class may have options as getters. A Map has none, as if nothing had been given.
  const hasAny = typeof options === 'object' && names.some((name) => name in Object(options))
  if (!hasAny && !isRecord(options)) throw noOptions(options, path, names, strategy)
}

function noOptions(value: unknown, path: string, ...about: About): Error {
  return optionError(
    path || 'options',
    `an object of options${hints.example?.(value, ...about) ?? ''}`,
    value,
  )
}

/** Says that a name is unknown, and which is nearest. `words`: what is unknown, where that is no option. */
export function noSuchOption(name: string, names: readonly string[], words = 'a known option'): string {
  return words + didYouMean(name, names, `one of ${names.join(', ')}`)
}

/** A policy that is being made: of which strategy, and what it was given. */
export interface NewPolicy {
  /** Its name and declared options. */
  readonly strategy: object
  readonly given: object
}

/** What to write instead of an option that is none; undefined where nothing but the nearest name can be said. */
type HintFor = (name: string, names: readonly string[], policy?: NewPolicy) => string | undefined

type About = [names: readonly string[], strategy?: object]

/** An example of options, for a value that is no object. */
type ExampleFor = (value: unknown, ...about: About) => string

/** What passes warnings on, as a limiter does. */
export interface Warned {
  /** That of a limiter. */
  readonly name?: string
  warned?(warning: Warning): void
}

export interface WithLanes extends Warned {
  readonly lanes?: readonly { readonly name: string; readonly policy: Policy | null }[]
}

/** What has just been made. */
export interface NewLimiter extends WithLanes {
  readonly name: string
  readonly store: Store
}

/** By what their warning calls them. */
export interface Times {
  readonly [name: string]: unknown
}

/** What is noticed of calls that most likely were meant otherwise. */
interface Meant {
  readonly oneArgument: (more: readonly unknown[]) => void
  readonly warnIfShort: (limiter: Warned, times: Times) => void
  readonly warnOfPolicy: (limiter: Warned, name: string, policy: Policy) => void
  readonly warnOfNew: (limiter: NewLimiter) => void
}

export const hints: { for?: HintFor; example?: ExampleFor } & Partial<Meant> = {}

/** As `noSuchOption`, and names of other libraries and of other strategies are answered with what to write here. */
export function noSuchOptionHere(name: string, names: readonly string[], policy?: NewPolicy): string {
  const hint = nearest(name, names, 1) === undefined ? hints.for?.(name, names, policy) : undefined
  return hint ?? noSuchOption(name, names)
}

/** Adds the hints. A web bundle of a limiter alone is spared them. */
export function withHints(given: Required<typeof hints>): typeof noSuchOptionHere {
  Object.assign(hints, given)
  return noSuchOptionHere
}

/** Words the error for an unknown name. A file has words of its own. */
export function unknownNames(
  words: { readonly unknownName: string } | undefined,
): (name: string, names: readonly string[]) => string {
  return (name, names) => noSuchOption(name, names, words?.unknownName)
}

/** Whether a value is a plain object of any realm: a list, a Map or a Date is not. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** `policies` and `window` → `policies.window`. */
export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

export function wholeNumber(
  value: unknown,
  path: string,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  const bound = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw optionError(path, `a whole number ${bound}`, value)
}

export function oneOf<const T extends string>(value: unknown, path: string, choices: readonly T[]): T {
  for (const choice of choices) if (value === choice) return choice
  const expected = choices.map((choice) => `"${choice}"`).join(' or ')
  throw optionError(path, expected + didYouMean(value, choices), value)
}

export function booleanOption(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value
  throw optionError(path, 'true or false', value)
}

export function optionalFunction(value: unknown, path: string): void {
  if (value !== undefined && typeof value !== 'function') throw optionError(path, 'a function', value)
}

/** ` (did you mean "limit"?)`, or `otherwise` in parentheses where no choice is near. */
export function didYouMean(value: unknown, choices: readonly string[], otherwise = ''): string {
  const near = typeof value === 'string' ? nearest(value, choices) : undefined
  const hint = near === undefined ? otherwise : `did you mean ${JSON.stringify(near)}?`
  return hint && ` (${hint})`
}

/** The choice with the fewest single-letter edits, if there are at most `most`. @default of `most`: a third of the letters, at least 2 */
export function nearest(
  name: string,
  choices: readonly string[],
  most: number = Math.max(2, Math.floor(name.length / 3)),
): string | undefined {
  let best: string | undefined
  let bestDistance = most + 1
  for (const choice of choices) {
    const distance = editDistance(name.slice(0, 40).toLowerCase(), choice.toLowerCase())
    if (distance < bestDistance) {
      best = choice
      bestDistance = distance
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      // The first letter is rarely the wrong one: "path" is not meant for "watch".
      const cost = i + j === 2 ? 2 : 1
      const swap = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : cost)
      row.push(Math.min(swap, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    above = row
  }
  return above[b.length] ?? 0
}
