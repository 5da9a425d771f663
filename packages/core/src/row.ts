import type { Reason, StoreRow, StoreRows } from './store.ts'
import { RowShape } from './strategies/row-shape.ts'

/** What a row says of a state; a `retryAfterUs` of null: waiting never helps. */
interface RowNumbers extends Pick<StoreRow, 'limit' | 'remaining' | 'resetAfterUs'> {
  readonly retryAfterUs: number | null
  readonly waitUs?: number
}

/** Whether the key is blocked, by hand or by its policy: then it is refused at any cost. */
export function isBlock(reason: Reason | null): boolean {
  return reason === 'blocked' || reason === 'banned'
}

/** The row of a look, before anything is taken. */
export function rowOfDraft(draft: RowNumbers & { readonly allowed: boolean }): StoreRow {
  const refusal = draft.retryAfterUs === null ? 'too-costly' : 'limited'
  return makeRow(draft, draft.allowed ? null : refusal, '')
}

/** Marks rows that are known here, for which the store was not asked. */
export function unasked(rows: StoreRows): StoreRows {
  const marked: { asked?: false } = rows
  marked.asked = false
  return rows
}

/** Rows of one shape, so that what reads them stays fast. */
export function makeRow(
  { limit, remaining, retryAfterUs, resetAfterUs, waitUs = 0 }: RowNumbers,
  reason: Reason | null,
  receipt: string | number,
): StoreRow {
  return new RowShape(limit, remaining, resetAfterUs, receipt, reason, retryAfterUs ?? -1, waitUs)
}
