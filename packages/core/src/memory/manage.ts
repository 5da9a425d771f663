import { makeRow } from '../row.ts'
import type { Command, Sight } from '../store.ts'
import { type Draft, partsOf } from '../strategies/definition.ts'
import type { Keys } from './keys.ts'

/** One key by hand, as manage.lua does it. A block keeps the count. */
export function manageKey(keys: Keys, command: Command, nowUs: number): Sight | undefined {
  const { op, check, us = 0, later = false } = command
  if (op === 'inspect') return inspect(keys, command, nowUs)
  if (op === 'block') {
    const old = keys.tableOf(check).blocks.of(check.key, nowUs)
    const untilUs = later && old !== undefined ? Math.max(old.untilUs, nowUs + us) : nowUs + us
    keys.block(check, { untilUs, byHand: !later || old?.byHand === true }, nowUs)
  } else if (op === 'unblock') {
    keys.unblock(check, nowUs)
  } else {
    keys.drop(check)
  }
  return undefined
}

function inspect(keys: Keys, { check }: Command, nowUs: number): Sight {
  const table = keys.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  const slot = table.find(check.key)
  const state = table.stateAt(slot, numbers, nowUs)
  const draft: Draft = definition.look(numbers, state, nowUs, 0)
  const remembered = state === undefined ? [] : (definition.entries?.(state, nowUs) ?? [])
  const blockedUs = table.blocks.restUs(check.key, nowUs)
  return {
    row: makeRow(draft, null, ''),
    blockedUs: blockedUs > 0 ? blockedUs : null,
    entries: remembered.map(({ note, atUs }) => ({ note, agoUs: nowUs - atUs })),
  }
}
