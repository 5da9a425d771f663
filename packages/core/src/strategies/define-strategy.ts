import { places } from '../places/places.ts'
import type { Ability, Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import type { BlockFor } from './block-for.ts'
import { readTimeZone } from './calendar.ts'
import { readEvery } from './calendar-text.ts'
import type { AnyStrategy, StrategyDefinition, StrategyDraft } from './definition.ts'
import type { DeclaredOptions, StrategyOption } from './options.ts'
import { strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'
import { readWindows, windowsInUnits } from './windows-option.ts'

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
>(
  definition: StrategyDefinition<O, Numbers, State, D, Can>,
): (options: O & BlockFor & Fractions) => Policy<Can> {
  const { options, noJitter = noJitterOf(definition) } = definition
  return strategyFrom({
    ...definition,
    noJitter,
    options: options && withReaders(options),
    places,
    reserving,
  })
}

function noJitterOf(strategy: Pick<AnyStrategy, 'name' | 'can' | 'countsRequests'>): string | undefined {
  const { name, can, countsRequests } = strategy
  if (can.includes('line')) return 'it is unknown when a place becomes free'
  return countsRequests === true ? `${name} promises a gap between requests` : undefined
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
      return { read: readWindows, inUnits: windowsInUnits, ...option }
    default:
      return option
  }
}
