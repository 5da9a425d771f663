import type { Change } from '../store.ts'
import { type AnyStrategy, partsOf } from '../strategies/definition.ts'
import type { States, StateTable } from './states.ts'

/** One correction, as adjust.lua does it. A blocked key is left as it is. */
export function applyChange<T extends StateTable>(
  states: States<T>,
  { check, receipt, byUnits, atLeastUs }: Change,
  nowUs: number,
): void {
  const table = states.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  if (table.blocks.restUs(check.key, nowUs) > 0) return
  const slot = table.find(check.key)
  // As adjust.lua, which reads nothing of what is in flight to give it back.
  const unread = definition.inFlight === true && byUnits < 0
  const state = unread ? table.storedAt(slot) : table.stateAt(slot, numbers, nowUs)
  const save = (changed: unknown) => states.save({ check, numbers, table, slot, nowUs }, changed)
  if (atLeastUs !== undefined) {
    const raised: unknown = definition.raise?.(numbers, state, atLeastUs, nowUs) ?? state
    if (raised !== state) save(raised)
  } else if (byUnits > 0) {
    save(
      definition.charge === undefined
        ? definition.take(state, definition.look(numbers, state, nowUs, byUnits), {
            nowUs,
            id: receipt === null ? '' : String(receipt),
            note: check.note ?? '',
          })
        : definition.charge(numbers, state, byUnits, nowUs),
    )
  } else if (definition.give !== undefined && slot >= 0 && state !== undefined) {
    const mine = receipt ?? newest(definition, state, { numbers, nowUs })
    if (definition.receipt === undefined && JSON.stringify(state) !== mine) return
    const taken = { receipt: String(mine), numbers, charged: check.cost }
    const given: unknown = definition.give(state, -byUnits, nowUs, taken)
    if (given !== state) save(given)
    // Changed in place, perhaps: it may have room again.
    else table.note(slot, nowUs)
  }
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
