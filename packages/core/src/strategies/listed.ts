import { type AnyStrategy, strategyOf } from './definition.ts'
import * as list from './list.ts'

/** Every strategy in the list, by name. */
export const strategies: ReadonlyMap<string, AnyStrategy> = new Map(
  Object.values(list)
    .flatMap((maker) => strategyOf(maker) ?? [])
    .map((strategy) => [strategy.name, strategy]),
)

/** A strategy of the list; undefined for any other name. */
export function strategyNamed(name: string): AnyStrategy | undefined {
  return strategies.get(name)
}
