import type { Reason, Row } from './store.ts'

/** What a row says of a state; null: waiting never helps. */
interface Told extends Pick<Row, 'limit' | 'remaining' | 'resetAfterUs'> {
  readonly retryAfterUs: number | null
  readonly waitUs?: number
}

/** Rows of one shape, so that what reads them stays fast. */
export function makeRow(told: Told, reason: Reason | null, receipt: string | number): Row {
  return {
    allowed: reason === null,
    reason,
    limit: told.limit,
    remaining: told.remaining,
    retryAfterUs: told.retryAfterUs ?? -1,
    resetAfterUs: told.resetAfterUs,
    waitUs: told.waitUs ?? 0,
    receipt,
  }
}
