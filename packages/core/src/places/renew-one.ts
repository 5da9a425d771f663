import { placeOf } from '../memory/look.ts'
import type { States, StateTable } from '../memory/states.ts'
import type { HeldLease, Renewal } from '../store.ts'

/** Renews one lease, as renew.lua does; also if its key is blocked. */
export function renewOne<T extends StateTable>(
  states: States<T>,
  { check, receipt }: HeldLease,
  nowUs: number,
): Renewal {
  const place = placeOf(states, check, nowUs)
  const { table, numbers } = place
  const state = table.stateAt(place.slot, numbers, nowUs)
  const taken = { receipt: String(receipt), numbers, charged: check.cost }
  const renewed = table.definition.renew?.(state, nowUs, taken)
  if (renewed === undefined) return 'lost'
  states.save(place, renewed.state)
  return renewed.held ? 'held' : 'regained'
}
