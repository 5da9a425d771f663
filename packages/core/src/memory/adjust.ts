import type { Change } from '../store.ts'
import { eraOf, receiptOf } from '../strategies/policy-parts.ts'
import { lookAt, placeOf } from './look.ts'
import type { Place, States } from './states.ts'

/** Applies one correction, as adjust.lua does. A blocked key is left as it is. `usedUs`: when units that it takes are used. */
export function applyChange(
  states: States,
  { check, receipt, byUnits, atLeastUs, reward }: Change,
  nowUs: number,
  usedUs: number = nowUs,
): void {
  const place = placeOf(states, check, nowUs)
  const { table, slot, numbers } = place
  const { definition } = table
  if (table.blocks.restUs(check.key, nowUs) > 0) return
  if (byUnits < 0 && !reward) {
    // A refund changes the state as it is stored, without a repair: `numbers` are those of the policy that was charged, and a repair by
    // them could shorten a window that other numbers have opened since.
    if (slot >= 0)
      table.amend(slot, givenBack(place, table.storedAt(slot), { units: -byUnits, receipt }), place)
    return
  }
  const state = table.stateAt(slot, numbers, nowUs)
  const save = (changed: unknown) => states.save(place, changed)
  if (atLeastUs !== undefined) {
    const raised: unknown = definition.raise?.(numbers, state, atLeastUs, nowUs) ?? state
    if (raised !== state) save(raised)
  } else if (byUnits > 0) {
    save(
      charged(place, state, { units: byUnits, id: `${eraOf(check, receipt)?.own ?? receipt ?? ''}` }, usedUs),
    )
  } else if (slot >= 0 && state !== undefined) {
    const rewarded: unknown = definition.reward?.(numbers, state, -byUnits, nowUs) ?? state
    if (rewarded !== state) save(rewarded)
    // The state may have been changed in place, and have room again.
    else table.note(slot, nowUs)
  }
}

/** The state after units were given back by receipt; the same where there is nothing to give back. */
function givenBack(
  place: Place,
  state: unknown,
  { units, receipt }: { units: number; receipt: Change['receipt'] },
): unknown {
  const { check, numbers, table, nowUs } = place
  const { definition } = table
  const known = eraOf(check, receipt)
  const era = table.eraOf(check.key)
  if (known && era && known.era !== era) return state
  // Without a receipt, that of the latest take is used.
  const mine = known?.own ?? receipt ?? receiptOf(definition, state, lookAt(place, state, 0))
  if (definition.receipt === undefined && JSON.stringify(state) !== mine) return state
  const charge = { receipt: `${mine}`, numbers, charged: check.cost }
  return definition.give?.(state, units, nowUs, charge) ?? state
}

/** The state after units were taken whatever the limit says. */
export function charged(
  place: Place,
  state: unknown,
  { units, id }: { units: number; id: string },
  usedUs: number = place.nowUs,
): unknown {
  const { check, numbers, nowUs } = place
  const { definition } = place.table
  if (definition.charge !== undefined) return definition.charge(numbers, state, units, nowUs, check.note)
  const draft = lookAt({ ...place, nowUs: usedUs }, state, units)
  return definition.take(state, draft, { nowUs, id, note: check.note ?? '' })
}
