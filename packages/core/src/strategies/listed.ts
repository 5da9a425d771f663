import type { AnyStrategy } from './definition.ts'
import * as list from './list.ts'
import { reservableStrategy } from './reservable.ts'
import { strategyOf } from './strategy-from.ts'

/** Every strategy in the list, by name. */
export const strategies: ReadonlyMap<string, AnyStrategy> = new Map(
  Object.values(list)
    .flatMap((maker) => strategyOf(maker) ?? [])
    .map((strategy) => [strategy.name, strategy]),
)

/** By code, with the forms that `reservable` makes of them: made when it is first needed, as every program loads this file. */
let byCode: ReadonlyMap<string, AnyStrategy> | undefined

/** A strategy of the list, or the reservable form of one; undefined for any other code. */
export function strategyOfCode(code: string): AnyStrategy | undefined {
  byCode ??= new Map(
    [...strategies.values()]
      .flatMap((strategy) => [strategy, reservableStrategy(strategy) ?? strategy])
      .map((strategy) => [strategy.code, strategy]),
  )
  return byCode.get(code)
}
