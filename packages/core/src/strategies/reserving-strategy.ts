import type { Ability, Policy } from '../policy.ts'
import { reserving } from '../reserving/reserving.ts'
import type { BlockFor } from './block-for.ts'
import type { StrategyDefinition, StrategyDraft } from './definition.ts'
import { strategyFrom } from './strategy-from.ts'
import type { Fractions } from './unit.ts'

/** A strategy whose callers can reserve: it brings what delays them. */
/* @__NO_SIDE_EFFECTS__ */
export function reservingStrategy<
  O extends object,
  Numbers,
  State,
  D extends StrategyDraft,
  const Can extends Ability,
>(
  definition: StrategyDefinition<O, Numbers, State, D, Can>,
): (options: O & BlockFor & Fractions) => Policy<Can> {
  return strategyFrom(definition, { reserving })
}
