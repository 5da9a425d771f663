import type { Change } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import type { MemoryStore } from './store.ts'

/** One correction, as adjust.lua does it. A blocked key is left as it is. */
export function applyChange(store: MemoryStore, { check, receipt, byUnits, atLeastUs }: Change): void {
  const nowUs = store.clock.nowUs()
  const table = store.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  const block = table.blocks.get(check.key)
  if (block !== undefined && block.untilUs > nowUs) return
  const slot = table.find(check.key)
  const state: unknown = slot < 0 ? undefined : store.stateAt(table, slot, { numbers, nowUs })
  const save = (changed: unknown) => store.save({ check, table, slot, nowUs }, changed)
  if (atLeastUs !== undefined) {
    if (definition.raise !== undefined) save(definition.raise(numbers, state, atLeastUs, nowUs))
  } else if (byUnits > 0) {
    save(
      definition.charge === undefined
        ? definition.take(state, definition.look(numbers, state, nowUs, byUnits), {
            nowUs,
            id: '',
            note: check.note ?? '',
          })
        : definition.charge(numbers, state, byUnits, nowUs),
    )
  } else if (receipt !== null && definition.give !== undefined && slot >= 0) {
    if (definition.receipt === undefined && JSON.stringify(state) !== receipt) return
    save(definition.give(state, -byUnits, nowUs, { receipt: String(receipt), numbers, charged: check.cost }))
    store.room.loosen()
  }
}
