import { makeRow } from '../row.ts'
import type { Check, StoreRow } from '../store.ts'
import { type Blocking, blockUs } from '../strategies/block-for.ts'
import { partsOf } from '../strategies/policy-parts.ts'
import type { Block } from './blocks.ts'
import type { Place, States } from './states.ts'

export function blockedRow({ policy }: Check, { untilUs, banned }: Block, nowUs: number): StoreRow {
  const restUs = untilUs - nowUs
  const numbers = { limit: partsOf(policy).units, remaining: 0, retryAfterUs: restUs, resetAfterUs: restUs }
  return makeRow(numbers, banned ? 'banned' : 'blocked', '')
}

/** A refusal blocks its key, and a request during a block may prolong it, as its policy says. block_for.lua does the same. */
export function blockedFor(
  states: States,
  { check, table, nowUs }: Place,
  { row, blocking }: { readonly row: StoreRow; readonly blocking: Blocking },
): StoreRow {
  const { countsBlocks } = partsOf(check.policy)
  const isNew = row.reason === 'limited'
  if (!isNew && (row.reason !== 'blocked' || !blocking.prolong)) return row
  const earlier = countsBlocks ? (table.blocks.countOf(check.key, nowUs)?.times ?? 0) : 0
  const times = isNew && countsBlocks ? earlier + 1 : earlier
  const banned = isNew && blocking.banAfter > 0 && times > blocking.banAfter
  const lengthUs = banned ? blocking.banUs : blockUs(blocking, times)
  if (!isNew && lengthUs <= row.retryAfterUs) return row
  const untilUs = nowUs + Math.max(lengthUs, row.retryAfterUs)
  const byHand = table.blocks.of(check.key, nowUs)?.byHand === true
  const block = { untilUs, byHand, banned }
  states.block(check, block, nowUs)
  // The store may have had no room for the block.
  if (table.blocks.of(check.key, nowUs)?.untilUs !== untilUs) return row
  if (times > 0) table.blocks.count(check.key, { times, untilUs: untilUs + blocking.forgetUs })
  return blockedRow(check, block, nowUs)
}
