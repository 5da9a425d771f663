/**
 * A key that was reset, or set, is counted anew, and what was charged before is not given back to the new count: a receipt says which
 * count was charged. Stands before the receipt; '' where nobody has to know.
 */
export function withEra(era: string | number, receipt: string | number): string | number {
  if (receipt === '') return ''
  if (era !== '') return `@${era}@${receipt}`
  // A strategy's own text may begin like that.
  return typeof receipt === 'string' && receipt.startsWith('@') ? `@@${receipt}` : receipt
}

/** The count that a receipt is of, and the strategy's own receipt. */
export function eraOf(receipt: string | number): { readonly era: string; readonly own: string | number } {
  if (typeof receipt !== 'string' || !receipt.startsWith('@')) return { era: '', own: receipt }
  const end = receipt.indexOf('@', 1)
  return { era: receipt.slice(1, end), own: receipt.slice(end + 1) }
}
