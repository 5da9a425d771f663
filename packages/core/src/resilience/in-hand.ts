import { isBlock } from '../row.ts'
import type { StoreRow, StoreRows } from '../store.ts'
import type { Hand } from './hand.ts'

/** What this process has in hand is left to it, though the store counts it as used. */
export function withInHand(rows: StoreRows, hands: readonly (Hand | undefined)[], nowUs: number): StoreRows {
  if (rows.source !== undefined || !hands.some((hand) => hand !== undefined && hand.units > 0)) return rows
  return rows.map((row, i) => rowWith(row, hands[i]?.unitsAt(nowUs) ?? 0))
}

/** A block leaves nothing, whatever is in hand. */
export function rowWith(row: StoreRow, units: number): StoreRow {
  return units === 0 || isBlock(row.reason) ? row : { ...row, remaining: row.remaining + units }
}
