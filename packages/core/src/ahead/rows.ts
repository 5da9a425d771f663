import { isBlock } from '../row.ts'
import type { Change, StoreRow, StoreRows } from '../store.ts'

/** A key of which this process may have units. */
interface Held {
  /** The units that may be used at that time. */
  unitsAt(nowUs: number): number
}

/** Adds units in hand to the store's rows: they are left to this process, though the store counts them as used. */
export function withInHand(rows: StoreRows, keys: readonly (Held | undefined)[], nowUs: number): StoreRows {
  const units = keys.map((key) => key?.unitsAt(nowUs) ?? 0)
  if (rows.source !== undefined || units.every((some) => some === 0)) return rows
  return rows.map((row, i) => rowWith(row, units[i] ?? 0))
}

/** Adds units in hand to a row; a block leaves nothing, whatever is in hand. */
export function rowWith(row: StoreRow, units: number): StoreRow {
  return units === 0 || isBlock(row.reason) ? row : { ...row, remaining: row.remaining + units }
}

const ofMany = 'ahead:'

/** A receipt of some of the units that were taken at once, by the number of the last of them: a store may know each by its number. */
export function partReceipt(last: number, receipt: string | number): string {
  return `${ofMany}${last}:${receipt}`
}

/** The change to all units that were taken at once, which is what the store knows. */
export function wholeOf(change: Change): Change {
  const { receipt, check } = change
  if (typeof receipt !== 'string' || !receipt.startsWith(ofMany)) return change
  const end = receipt.indexOf(':', ofMany.length)
  const cost = Number(receipt.slice(ofMany.length, end))
  return { ...change, receipt: receipt.slice(end + 1), check: { ...check, cost } }
}
