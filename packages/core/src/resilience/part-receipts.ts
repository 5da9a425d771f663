import type { Change } from '../store.ts'

const ofMany = 'ahead:'

/** A receipt of some of the units that were taken at once, by the number of the last of them: a store may know each by its number. */
export function partReceipt(last: number, receipt: string | number): string {
  return `${ofMany}${last}:${receipt}`
}

/** As the store has taken it. */
export function wholeOf<C extends Change>(change: C): C {
  const { receipt, check } = change
  if (typeof receipt !== 'string' || !receipt.startsWith(ofMany)) return change
  const end = receipt.indexOf(':', ofMany.length)
  const cost = Number(receipt.slice(ofMany.length, end))
  return { ...change, receipt: receipt.slice(end + 1), check: { ...check, cost } }
}
