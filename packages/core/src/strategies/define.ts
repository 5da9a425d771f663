import { places } from '../places/places.ts'
import type { Ability, Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import type { BlockFor } from './block-for.ts'
import { readTimeZone } from './calendar.ts'
import { type StrategyDefinition, type StrategyDraft, strategyFrom } from './definition.ts'
import { readEvery } from './every.ts'
import type { DeclaredOptions, StrategyOption } from './options.ts'
import { readWindows } from './windows-option.ts'

/**
 * Defines a strategy of your own. Returns the function that creates its policies and checks their options.
 *
 * @example
 * const everyOther = defineStrategy({ name: 'everyOther', can: [], parse: …, limitOf: …, look: …, take: …, idleUs: … })
 * createLimiter({ policy: everyOther({ … }) })
 */
export function defineStrategy<
  O extends object,
  Numbers,
  State,
  D extends StrategyDraft,
  const Can extends Ability = never,
>(definition: StrategyDefinition<O, Numbers, State, D, Can>): (options: O & BlockFor) => Policy<Can> {
  const { options } = definition
  const complete = options === undefined ? definition : { ...definition, options: withReaders(options) }
  return strategyFrom(complete, { places, reserving })
}

function withReaders<O>(options: DeclaredOptions<O>): DeclaredOptions<O> {
  const read = Object.entries<StrategyOption>(options).map(([name, option]) => [name, withReader(option)])
  return Object.fromEntries(read)
}

function withReader(option: StrategyOption): StrategyOption {
  switch (option.kind) {
    case 'time zone':
      return { read: readTimeZone, ...option }
    case 'calendar':
      return { read: readEvery, ...option }
    case 'windows':
      return { read: readWindows, ...option }
    default:
      return option
  }
}
