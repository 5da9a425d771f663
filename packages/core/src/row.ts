import type { Reason, Row } from './store.ts'

/** Rows of one shape, so that what reads them stays fast. */
export function makeRow(
  {
    limit,
    remaining,
    retryAfterUs,
    resetAfterUs,
  }: Pick<Row, 'limit' | 'remaining' | 'retryAfterUs' | 'resetAfterUs'>,
  reason: Reason | null,
  receipt: string | number,
): Row {
  return {
    allowed: reason === null,
    reason,
    limit,
    remaining,
    retryAfterUs,
    resetAfterUs,
    waitUs: 0,
    receipt,
  }
}
