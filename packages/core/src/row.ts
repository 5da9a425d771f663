import type { Reason, StoreRow } from './store.ts'

/** What a row says of a state; null: waiting never helps. */
interface RowNumbers extends Pick<StoreRow, 'limit' | 'remaining' | 'resetAfterUs'> {
  readonly retryAfterUs: number | null
  readonly waitUs?: number
}

/** Rows of one shape, so that what reads them stays fast. */
export function makeRow(numbers: RowNumbers, reason: Reason | null, receipt: string | number): StoreRow {
  return {
    allowed: reason === null,
    reason,
    limit: numbers.limit,
    remaining: numbers.remaining,
    retryAfterUs: numbers.retryAfterUs ?? -1,
    resetAfterUs: numbers.resetAfterUs,
    waitUs: numbers.waitUs ?? 0,
    receipt,
  }
}
