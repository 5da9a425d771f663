import type { Keys } from '../memory/keys.ts'
import { placeOf } from '../memory/look.ts'
import type { Check, StoreRow } from '../store.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import { spacingUs } from '../strategies/spacing.ts'

/** Whether memory has a count of the key that still matters. */
export function isKnown(keys: Keys, check: Check, nowUs: number): boolean {
  const { table, slot } = placeOf(keys, check, nowUs)
  return table.shares(check.key) || (slot >= 0 && !table.isIdle(slot, nowUs))
}

/** Lets an unknown key start with its whole limit, and not empty: it need not be new. */
export function beginFull(keys: Keys, check: Check, atUs: number): void {
  if (isKnown(keys, check, atUs)) return
  const place = placeOf(keys, check, atUs)
  const unused: unknown = place.table.definition.unused?.(place.numbers, atUs)
  if (unused !== undefined) keys.save(place, unused)
}

/** Leaves a key no more than the store has: the time until it is full again says how much, to the microsecond. */
export function noMoreThan(keys: Keys, check: Check, { row, nowUs }: { row: StoreRow; nowUs: number }): void {
  beginFull(keys, check, nowUs)
  const place = placeOf(keys, check, nowUs)
  const { numbers, slot, table } = place
  const state: unknown = table.stateAt(slot, numbers, nowUs)
  const untilOneUs = row.resetAfterUs - spacingUs(check.policy, partsOf(check.policy).units - 1)
  const raised: unknown = table.definition.raise?.(numbers, state, untilOneUs, nowUs) ?? state
  if (raised !== state) keys.save(place, raised)
}
