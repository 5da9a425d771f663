import type { Held, Renewal } from '../store.ts'
import { partsOf } from '../strategies/definition.ts'
import type { Keys } from './keys.ts'

/** One take that is under way, as renew.lua renews it; behind a block too. */
export function renewOne(keys: Keys, { check, receipt }: Held, nowUs: number): Renewal {
  const table = keys.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  const slot = table.find(check.key)
  const state = table.stateAt(slot, numbers, nowUs)
  const taken = { receipt: String(receipt), numbers, charged: check.cost }
  const renewed = definition.renew?.(state, nowUs, taken)
  if (renewed === undefined) return 'lost'
  keys.save({ check, numbers, table, slot, nowUs }, renewed.state)
  return renewed.held ? 'held' : 'regained'
}
