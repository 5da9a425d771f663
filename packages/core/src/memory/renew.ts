import type { HeldLease, Renewal } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import type { States, StateTable } from './states.ts'

/** One take that is under way, as renew.lua renews it; behind a block too. */
export function renewOne<T extends StateTable>(
  states: States<T>,
  { check, receipt }: HeldLease,
  nowUs: number,
): Renewal {
  const table = states.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  const slot = table.find(check.key)
  const state = table.stateAt(slot, numbers, nowUs)
  const taken = { receipt: String(receipt), numbers, charged: check.cost }
  const renewed = definition.renew?.(state, nowUs, taken)
  if (renewed === undefined) return 'lost'
  states.save({ check, numbers, table, slot, nowUs }, renewed.state)
  return renewed.held ? 'held' : 'regained'
}
