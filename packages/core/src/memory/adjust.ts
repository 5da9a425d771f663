import { eraOf } from '../row.ts'
import type { Change } from '../store.ts'
import { type AnyStrategy, partsOf, type StrategyDraft } from '../strategies/definition.ts'
import type { Place, States, StateTable } from './states.ts'

/** One correction, as adjust.lua does it. A blocked key is left as it is. */
export function applyChange<T extends StateTable>(
  states: States<T>,
  { check, receipt, byUnits, atLeastUs, reward }: Change,
  nowUs: number,
): void {
  const table = states.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  if (table.blocks.restUs(check.key, nowUs) > 0) return
  const slot = table.find(check.key)
  // As adjust.lua, which reads nothing of what is in flight to give it back.
  const unread = definition.inFlight === true && byUnits < 0
  const state = unread ? table.storedAt(slot) : table.stateAt(slot, numbers, nowUs)
  const place = { check, numbers, table, slot, nowUs }
  const save = (changed: unknown) => states.save(place, changed)
  if (atLeastUs !== undefined) {
    const raised: unknown = definition.raise?.(numbers, state, atLeastUs, nowUs) ?? state
    if (raised !== state) save(raised)
  } else if (byUnits > 0) {
    save(charged(place, state, { units: byUnits, id: receipt === null ? '' : String(eraOf(receipt).own) }))
  } else if (slot >= 0 && state !== undefined) {
    const given: unknown =
      reward === true
        ? (definition.reward?.(numbers, state, -byUnits, nowUs) ?? state)
        : givenBack(place, state, { units: -byUnits, receipt })
    if (given !== state) save(given)
    // Changed in place, perhaps: it may have room again.
    else table.note(slot, nowUs)
  }
}

/** The state after units were given back by receipt; the same where there is nothing to give back. */
function givenBack<T extends StateTable>(
  { check, numbers, table, nowUs }: Place<T>,
  state: unknown,
  { units, receipt }: { units: number; receipt: Change['receipt'] },
): unknown {
  const { definition } = table
  if (definition.give === undefined) return state
  const known = receipt === null || partsOf(check.policy).tellsCounts ? undefined : eraOf(receipt)
  if (known !== undefined && known.era !== table.eraOf(check.key)) return state
  const mine = known?.own ?? receipt ?? newest(definition, state, { numbers, nowUs })
  if (definition.receipt === undefined && JSON.stringify(state) !== mine) return state
  return definition.give(state, units, nowUs, { receipt: String(mine), numbers, charged: check.cost })
}

/** The state after units were taken whatever the limit says. */
export function charged<T extends StateTable>(
  { check, numbers, table: { definition }, nowUs }: Place<T>,
  state: unknown,
  { units, id }: { units: number; id: string },
): unknown {
  if (definition.charge !== undefined) return definition.charge(numbers, state, units, nowUs, check.note)
  const draft: StrategyDraft = definition.look(numbers, state, nowUs, units, check.note)
  return definition.take(state, draft, { nowUs, id, note: check.note ?? '' })
}

/** Without a receipt: the one that the latest take would have. */
function newest(
  definition: AnyStrategy,
  state: unknown,
  { numbers, nowUs }: { numbers: unknown; nowUs: number },
): unknown {
  if (definition.receipt === undefined) return JSON.stringify(state)
  return definition.receipt(state, definition.look(numbers, state, nowUs, 0))
}
