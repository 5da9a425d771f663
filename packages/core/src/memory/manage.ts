import { rowOfDraft } from '../row.ts'
import type { Command, KeySnapshot, StoreRow } from '../store.ts'
import { charged } from './adjust.ts'
import { blockedRow } from './block-for.ts'
import { lookAt, placeOf } from './look.ts'
import type { States } from './states.ts'

/** Changes or shows one key by hand, as manage.lua does. A block keeps the count. */
export function manageKey(states: States, command: Command, nowUs: number): KeySnapshot | undefined {
  const { op, check, us = 0, later = false } = command
  if (op === 'inspect') return inspect(states, command, nowUs)
  if (op === 'block') {
    const old = states.tableOf(check).blocks.of(check.key, nowUs)
    const stays = later && old !== undefined && old.untilUs >= nowUs + us
    const untilUs = stays ? old.untilUs : nowUs + us
    const block = { untilUs, byHand: !later || old?.byHand === true, banned: stays && old.banned }
    states.block(check, block, nowUs)
  } else if (op === 'unblock') {
    states.unblock(check, nowUs)
  } else if (op === 'set') {
    setUsed(states, command, nowUs)
  } else {
    states.drop(check)
  }
  return undefined
}

/** Sets how many units the key has used; a block stays in front of the new count. */
function setUsed(states: States, { check, units = 0 }: Command, nowUs: number): void {
  const place = placeOf(states, check, nowUs)
  const unused: unknown = place.table.definition.unused?.(place.numbers, nowUs)
  states.replace(place, units === 0 ? unused : charged(place, unused, { units, id: '' }))
}

/** The count, which a block does not change, and the answer that a check for one unit would get. */
function inspect(states: States, { check }: Command, nowUs: number): KeySnapshot {
  const place = placeOf(states, check, nowUs)
  const { table } = place
  const state = table.stateAt(place.slot, place.numbers, nowUs)
  const { limit, remaining, resetAfterUs } = lookAt(place, state, 0)
  const block = table.blocks.of(check.key, nowUs)
  const one: StoreRow =
    block === undefined ? rowOfDraft(lookAt(place, state, 1)) : blockedRow(check, block, nowUs)
  const remembered = state === undefined ? [] : (table.definition.entries?.(state, nowUs) ?? [])
  return {
    row: { ...one, limit, remaining, resetAfterUs },
    blockedUs: block === undefined ? null : block.untilUs - nowUs,
    banned: block?.banned === true,
    blocks: table.blocks.countOf(check.key, nowUs)?.times ?? 0,
    entries: remembered.map(({ note, atUs }) => ({ note, agoUs: nowUs - atUs })),
  }
}
