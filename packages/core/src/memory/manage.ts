import { makeRow } from '../row.ts'
import type { Command, KeySnapshot } from '../store.ts'
import { partsOf, type StrategyDraft } from '../strategies/definition.ts'
import type { States } from './states.ts'

/** One key by hand, as manage.lua does it. A block keeps the count. */
export function manageKey(states: States, command: Command, nowUs: number): KeySnapshot | undefined {
  const { op, check, us = 0, later = false } = command
  if (op === 'inspect') return inspect(states, command, nowUs)
  if (op === 'block') {
    const old = states.tableOf(check).blocks.of(check.key, nowUs)
    const untilUs = later && old !== undefined ? Math.max(old.untilUs, nowUs + us) : nowUs + us
    states.block(check, { untilUs, byHand: !later || old?.byHand === true }, nowUs)
  } else if (op === 'unblock') {
    states.unblock(check, nowUs)
  } else {
    states.drop(check)
  }
  return undefined
}

function inspect(states: States, { check }: Command, nowUs: number): KeySnapshot {
  const table = states.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  const slot = table.find(check.key)
  const state = table.stateAt(slot, numbers, nowUs)
  const draft: StrategyDraft = definition.look(numbers, state, nowUs, 0)
  const remembered = state === undefined ? [] : (definition.entries?.(state, nowUs) ?? [])
  const blockedUs = table.blocks.restUs(check.key, nowUs)
  return {
    row: makeRow(draft, null, ''),
    blockedUs: blockedUs > 0 ? blockedUs : null,
    entries: remembered.map(({ note, atUs }) => ({ note, agoUs: nowUs - atUs })),
  }
}
