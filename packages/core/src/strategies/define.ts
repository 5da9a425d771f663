import { places } from '../places/places.ts'
import type { Ability, Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import type { BlockFor } from './block-for.ts'
import { type StrategyDefinition, type StrategyDraft, strategyFrom } from './definition.ts'

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
  return strategyFrom(definition, { places, reserving })
}
