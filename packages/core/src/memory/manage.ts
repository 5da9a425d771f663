import { makeRow } from '../row.ts'
import type { Command, Sight } from '../store.ts'
import { type Draft, partsOf } from '../strategies/definition.ts'
import type { Keys } from './keys.ts'

/** One key by hand, as manage.lua does it. A block keeps the count. */
export function manageKey(keys: Keys, command: Command, nowUs: number): Sight | undefined {
  const { op, check } = command
  const table = keys.tableOf(check)
  const old = table.blocks.get(check.key)?.untilUs ?? 0
  if (op === 'inspect') return inspect(keys, command, nowUs)
  if (op === 'block') {
    const untilUs = nowUs + (command.us ?? 0)
    for (const [name, block] of table.blocks) if (block.untilUs <= nowUs) table.blocks.delete(name)
    table.blocks.set(check.key, { untilUs: command.later === true ? Math.max(old, untilUs) : untilUs })
    return undefined
  }
  table.blocks.delete(check.key)
  if (op === 'reset') {
    const slot = table.find(check.key)
    if (slot >= 0) keys.drop(table, slot)
  }
  keys.loosen()
  return undefined
}

function inspect(keys: Keys, { check }: Command, nowUs: number): Sight {
  const table = keys.tableOf(check)
  const { definition, numbers } = partsOf(check.policy)
  const slot = table.find(check.key)
  const state = table.stateAt(slot, numbers, nowUs)
  const draft: Draft = definition.look(numbers, state, nowUs, 0)
  const remembered = state === undefined ? [] : (definition.entries?.(state, nowUs) ?? [])
  const blockedUs = table.blockedUs(check.key, nowUs)
  return {
    row: makeRow(draft, null, ''),
    blockedUs: blockedUs > 0 ? blockedUs : null,
    entries: remembered.map(({ note, atUs }) => ({ note, agoUs: nowUs - atUs })),
  }
}
