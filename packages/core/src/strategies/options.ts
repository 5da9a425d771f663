import { optionError } from '../errors.ts'
import { checkNames, noSuchOptionHere, oneOf, unknownNames, wholeNumber } from '../options.ts'
import { type Duration, durationOrZeroUs, durationUs } from '../units.ts'
import type { Blocking } from './block-for.ts'
import type { Every } from './calendar-text.ts'

/** A default calculated from the options before it. */
export interface DerivedDefault<Read> {
  /** For tables: `count − 1`. */
  readonly words: string
  of(read: Read): number
}

interface Described<Value> {
  /** One sentence for tables and editors; for strategies in the list it stands in `words`. */
  readonly about?: string | undefined
  /** The value in examples of the strategy; left out if the default is used there. */
  readonly example?: Value | undefined
  /** The required option, declared before it, that it replaces: one of the two is given, never both. */
  readonly insteadOf?: string | undefined
  /** The option without which it may not be given; `is`: the value that this option must have. */
  readonly only?: { readonly with: string; readonly is?: string | undefined } | undefined
}

/** A whole number. */
export interface CountOption<Read = unknown> extends Described<number> {
  readonly kind: 'count'
  /** @default 1 */
  readonly min?: number | undefined
  /** @default none */
  readonly max?: number | ((read: Read) => number) | undefined
  /** Left out: the option is required. */
  readonly default?: number | DerivedDefault<Read> | undefined
  /** How the number changes in a policy that allows n times as much: `amount` is multiplied by n, `extra` excludes the first unit. @default unchanged */
  readonly scales?: 'amount' | 'extra' | undefined
}

/** A time: a number of milliseconds, or a string with a unit. */
export interface DurationOption<Read = unknown> extends Described<Duration> {
  readonly kind: 'duration'
  /** From and to, both included. @default 1 ms to 366 days */
  readonly range?: readonly [min: Duration, max: Duration] | undefined
  /** Whether 0 is allowed. @default false */
  readonly zero?: boolean | undefined
  /** Left out: the option is required. */
  readonly default?: Duration | DerivedDefault<Read> | undefined
  /** `inverse`: it is divided by n in a policy that allows n times as much. @default unchanged */
  readonly scales?: 'inverse' | undefined
}

export interface ChoiceOption<Choice extends string = string> extends Described<Choice> {
  readonly kind: 'choice'
  readonly choices: readonly Choice[]
  /** Left out: the option is required. */
  readonly default?: Choice | undefined
}

/** An option that brings the function that reads it. */
interface Brings<Value, Read> extends Described<Value> {
  /** @default brought by `defineStrategy` */
  readonly read?: ((value: unknown, asked: Asked) => Read) | undefined
}

export interface Asked {
  readonly name: string
  readonly words?: OptionWords | undefined
  readonly option: StrategyOption
}

/** A name of the IANA time zone database; required. */
export interface TimeZoneOption extends Brings<string, string> {
  readonly kind: 'time zone'
  readonly default?: undefined
}

/** Windows of the calendar, such as `month` or `month from 31`. */
export interface CalendarOption extends Brings<string, string> {
  readonly kind: 'calendar'
  /** The windows that begin at midnight on the first day. */
  readonly choices: readonly string[]
  readonly default?: undefined
}

/** A list of limits, longer windows with higher limits. */
export interface WindowsOption
  extends Brings<readonly { limit: number; window: Duration }[], readonly Window[]> {
  readonly kind: 'windows'
  /** The largest number of windows. */
  readonly max: number
  /** The option's value with limits in units, of which an amount of 1 has `scale`. @default brought by `defineStrategy` */
  readonly inUnits?: ((value: unknown, name: string, scale: number) => unknown) | undefined
  readonly default?: undefined
}

/** How a policy blocks the keys that it refuses: an option of all strategies but those that count requests in flight. */
export interface BlockForOption extends Brings<never, Blocking | undefined> {
  readonly kind: 'blockFor'
  readonly default: DerivedDefault<never>
}

// The functions of an option take the options before it; `never` because these differ per strategy.
export type StrategyOption =
  | CountOption<never>
  | DurationOption<never>
  | ChoiceOption
  | TimeZoneOption
  | CalendarOption
  | WindowsOption
  | BlockForOption

/** Options by name, in the order in which they are read and shown. */
export type StrategyOptions = { readonly [name: string]: StrategyOption }

export interface Window {
  readonly limit: number
  readonly windowUs: number
}

/** Options after reading: each duration in whole microseconds, so `window` becomes `windowUs`. */
export type ReadOptions<O> = {
  readonly [K in keyof O as Duration extends O[K] ? `${K & string}Us` : K]-?: ReadOption<
    Exclude<O[K], undefined>
  >
}

type ReadOption<T> = [T] extends [readonly unknown[]]
  ? readonly Window[]
  : Duration extends T
    ? number
    : [T] extends [number]
      ? number
      : T

// The declaration that fits each option of O.
export type DeclaredOptions<O> = {
  readonly [K in keyof O]-?: DeclaredOption<Exclude<O[K], undefined>, ReadOptions<O>>
}

type DeclaredOption<T, Read> = [T] extends [readonly unknown[]]
  ? WindowsOption
  : Duration extends T
    ? DurationOption<Read>
    : [T] extends [number]
      ? CountOption<Read>
      : string extends T
        ? TimeZoneOption
        : Every extends T
          ? CalendarOption
          : ChoiceOption<T & string>

// Wording for error messages, where a file differs from code.
export interface OptionWords {
  readonly unknownName: string
  readonly duration: string
}

/** A strategy whose options are data. */
export interface WithOptions {
  readonly name: string
  readonly options: StrategyOptions
  /** Whether `unit` may be given, which is not among `options`. @default false */
  readonly inUnits?: boolean
}

/**
 * Checks options in the order of their declaration; the first invalid one is an OptionError. An option that does not go with the others
 * that are given is read as undefined.
 */
export function readOptions(strategy: WithOptions, options: object, words?: OptionWords): object {
  const { options: declared, inUnits } = strategy
  const own = Object.keys(declared)
  function unknown(name: string, all: readonly string[]): string {
    const names = inUnits ? all : own
    return words
      ? unknownNames(words)(name, names)
      : noSuchOptionHere(name, names, { strategy, given: options })
  }
  checkNames(options, '', [...own, 'unit'], unknown, strategy)
  const read: { [name: string]: unknown } = {}
  for (const [name, option] of Object.entries(declared)) {
    const value: unknown = Reflect.get(options, name)
    const why = whyNot(declared, options, name)
    if (why !== undefined && value !== undefined) throw optionError(name, why, value)
    const isAbsent = why !== undefined || (value === undefined && option.insteadOf !== undefined)
    read[option.kind === 'duration' ? `${name}Us` : name] = isAbsent
      ? undefined
      : readOption(option, { name, value, option, read, words, instead: alternativeTo(declared, name) })
  }
  return read
}

/** What is expected of an option that does not go with the others that are given; undefined: it does. */
function whyNot(declared: StrategyOptions, options: object, name: string): string | undefined {
  const instead = alternativeTo(declared, name)
  if (instead !== undefined && Reflect.get(options, instead) !== undefined)
    return `nothing beside \`${instead}\``
  const only = declared[name]?.only
  if (only === undefined) return undefined
  const value: unknown = Reflect.get(options, only.with)
  if (only.is !== undefined && value !== only.is) return `nothing unless \`${only.with}\` is "${only.is}"`
  return value === undefined ? `nothing without \`${only.with}\`` : undefined
}

/** The option that may be given in place of another. */
export function alternativeTo(declared: StrategyOptions, name: string): string | undefined {
  return Object.keys(declared).find((other) => declared[other]?.insteadOf === name)
}

/** The options that must be given unless another is, which takes their place. */
export function requiredOf(declared: StrategyOptions): readonly [name: string, option: StrategyOption][] {
  return Object.entries(declared).filter(([, { default: otherwise, insteadOf, only }]) => {
    return otherwise === undefined && insteadOf === undefined && only === undefined
  })
}

interface GivenOption extends Asked {
  readonly value: unknown
  /** The options before it. */
  readonly read: object
  /** The option that may be given in its place. */
  readonly instead: string | undefined
}

function readOption(option: StrategyOption, given: GivenOption): unknown {
  const { name, value } = given
  switch (option.kind) {
    case 'count':
      return readCount(option, given)
    case 'duration':
      return readDuration(option, given)
    case 'choice':
      return value === undefined && option.default !== undefined
        ? option.default
        : oneOf(value, name, option.choices)
    default:
      return option.read?.(value, given)
  }
}

function readCount(
  { min = 1, max, default: otherwise }: CountOption<never>,
  { name, value, read }: GivenOption,
): number {
  const bound = typeof max === 'function' ? max(read as never) : max // options before it are read, as it asks
  if (value !== undefined || otherwise === undefined) return wholeNumber(value, name, min, bound)
  return typeof otherwise === 'number' ? otherwise : otherwise.of(read as never) // as above
}

function readDuration(
  option: DurationOption<never>,
  { name, value, read, words, instead }: GivenOption,
): number {
  const { range, zero, default: otherwise } = option
  if (value === undefined && typeof otherwise === 'object') return otherwise.of(read as never) // as above
  const given = value === undefined ? otherwise : value
  if (given === undefined && instead !== undefined)
    throw optionError(name, `a duration such as "10s", or \`${instead}\` instead`, given)
  const us = (zero === true ? durationOrZeroUs : durationUs)(given, name, words?.duration)
  if (range === undefined || (us >= durationUs(range[0], name) && us <= durationUs(range[1], name))) return us
  throw optionError(name, `a duration from ${range.join(' to ')}`, value)
}
