import { optionError } from '../errors.ts'
import { didYouMean } from '../options.ts'
import type { Policy } from '../policy.ts'
import type { AnyStrategy } from './definition.ts'
import { strategies } from './listed.ts'
import {
  alternativeTo,
  type OptionWords,
  requiredOf,
  type StrategyOption,
  type StrategyOptions,
} from './options.ts'
import { reservableStrategy } from './reservable.ts'
import { policyWith } from './strategy-from.ts'
import { blockFor } from './words/words.ts'
import { wordsOf } from './words/words-of.ts'

type DescribedOptions = { readonly [name: string]: StrategyOption & { readonly about: string } }

/** What is known about a strategy in the list before a policy is created. */
export interface DeclaredStrategy {
  readonly name: string
  /** One sentence about what it allows. */
  readonly about: string
  readonly options: DescribedOptions
  readonly inFlight: boolean
  readonly rule: RuleOptions
}

/** Which options form the short rule: units in a span (`100/1m`), a span alone (`10s`), units alone (`5`), or windows (`20/1s,100/10s`). */
interface RuleOptions {
  readonly units?: string
  readonly span?: string
  /** The option that is given in place of the span where this is one of its choices (`100/day`). */
  readonly every?: { readonly name: string; readonly choices: readonly string[] }
  readonly windows?: string
}

/** Every strategy in the list, by name. */
export const declaredStrategies: ReadonlyMap<string, DeclaredStrategy> = new Map(
  [...strategies.values()].map(({ name, code, options = {}, inFlight = false }) => [
    name,
    // Getters, as every program loads these strategies and few ask for what the getters make.
    {
      name,
      get about() {
        return wordsOf({ name, code })?.about ?? ''
      },
      get options() {
        return describedOptions(options, wordsOf({ name, code })?.options)
      },
      inFlight,
      get rule() {
        return ruleOptionsOf(options)
      },
    },
  ]),
)

function describedOptions(
  options: StrategyOptions,
  words: { readonly [name: string]: string } = {},
): DescribedOptions {
  const described = Object.entries(options).map(([name, option]) => {
    return [name, { ...option, about: words[name] ?? (option.kind === 'blockFor' ? blockFor : '') }] as const
  })
  return Object.fromEntries(described)
}

/** Creates a policy from data; throws an OptionError, worded with `words`. */
export function policyOfData(
  data: { readonly strategy: string; readonly [option: string]: unknown },
  words?: OptionWords,
): Policy {
  const { strategy: name, ...options } = data ?? { strategy: undefined }
  const strategy = typeof name === 'string' ? strategies.get(name) : undefined
  if (strategy !== undefined) return policyWith(asked(strategy, options), options, words)
  throw unknownStrategy(name, [...strategies.keys()])
}

/** With the option `maxDebt`, a strategy whose callers cannot reserve is replaced by its reservable form, if it has one. */
function asked(strategy: AnyStrategy, { maxDebt }: { readonly [option: string]: unknown }): AnyStrategy {
  if (maxDebt === undefined || strategy.can.includes('reserve')) return strategy
  return reservableStrategy(strategy) ?? strategy
}

export function unknownStrategy(name: unknown, names: readonly string[]): Error {
  return optionError('strategy', `one of ${names.join(', ')}${didYouMean(name, names)}`, name)
}

/** The span is the first required duration, and its units are the count before it. */
function ruleOptionsOf(options: StrategyOptions): RuleOptions {
  const required = requiredOf(options)
  const indexOf = (kind: string) => required.findIndex(([, option]) => option.kind === kind)
  const nameAt = (at: number, kind: string) => (required[at]?.[1].kind === kind ? required[at][0] : undefined)
  const windows = nameAt(indexOf('windows'), 'windows')
  if (windows !== undefined) return { windows }
  const span = nameAt(indexOf('duration'), 'duration')
  const units = nameAt(span === undefined ? indexOf('count') : indexOf('duration') - 1, 'count')
  const name = span === undefined ? undefined : alternativeTo(options, span)
  const every = name === undefined ? undefined : options[name]
  return {
    ...(units !== undefined && { units }),
    ...(span !== undefined && { span }),
    ...(name !== undefined && every?.kind === 'calendar' && { every: { name, choices: every.choices } }),
  }
}

/** Options that give a fresh key this many units at once, and as many in each further span. */
export function optionsFor(
  { options }: DeclaredStrategy,
  { units, span }: { units: number; span: string | number },
): { readonly [option: string]: unknown } {
  const values: { readonly [kind in StrategyOption['kind']]?: unknown } = {
    count: units,
    duration: span,
    windows: [{ limit: units, window: span }],
  }
  return Object.fromEntries(requiredOf(options).map(([name, { kind }]) => [name, values[kind]]))
}
