import { rowOfDraft } from '../row.ts'
import type { Command, KeySnapshot, StoreRow } from '../store.ts'
import { partsOf, type StrategyDraft } from '../strategies/definition.ts'
import { charged } from './adjust.ts'
import { blockedRow } from './block-for.ts'
import type { States, StateTable } from './states.ts'

/** One key by hand, as manage.lua does it. A block keeps the count. */
export function manageKey<T extends StateTable>(
  states: States<T>,
  command: Command,
  nowUs: number,
): KeySnapshot | undefined {
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

/** A block stays in front of the new count. */
function setUsed<T extends StateTable>(
  states: States<T>,
  { check, units = 0 }: Command,
  nowUs: number,
): void {
  const table = states.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  const place = { check, numbers, table, slot: table.find(check.key), nowUs }
  const unused: unknown = definition.unused?.(numbers, nowUs)
  states.replace(place, units === 0 ? unused : charged(place, unused, { units, id: '' }))
}

/** The count, which a block does not change, and the answer that a check for one unit would get. */
function inspect<T extends StateTable>(states: States<T>, { check }: Command, nowUs: number): KeySnapshot {
  const table = states.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  const slot = table.find(check.key)
  const state = table.stateAt(slot, numbers, nowUs)
  const { limit, remaining, resetAfterUs }: StrategyDraft = definition.look(
    numbers,
    state,
    nowUs,
    0,
    check.note,
  )
  const block = table.blocks.of(check.key, nowUs)
  const one: StoreRow =
    block === undefined
      ? rowOfDraft(definition.look(numbers, state, nowUs, 1, check.note))
      : blockedRow(check, block, nowUs)
  const remembered = state === undefined ? [] : (definition.entries?.(state, nowUs) ?? [])
  return {
    row: { ...one, limit, remaining, resetAfterUs },
    blockedUs: block === undefined ? null : block.untilUs - nowUs,
    banned: block?.banned === true,
    blocks: table.blocks.countOf(check.key, nowUs)?.times ?? 0,
    entries: remembered.map(({ note, atUs }) => ({ note, agoUs: nowUs - atUs })),
  }
}
