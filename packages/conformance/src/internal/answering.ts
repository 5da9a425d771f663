import type { Change, Store, StoreRow } from '@sluice/core'

/** A row as a table writes it: allowed or why not, remaining, stated wait and reset in µs. */
export type ShortRow = readonly [
  said: 'allowed' | 'limited' | 'too-costly' | 'blocked',
  remaining: number,
  retryAfterUs: number,
  resetAfterUs: number,
]

export function rowOf([said, remaining, retryAfterUs, resetAfterUs]: ShortRow, limit = 10): StoreRow {
  const allowed = said === 'allowed'
  const reason = allowed ? null : said
  return {
    allowed,
    reason,
    limit,
    remaining,
    retryAfterUs,
    resetAfterUs,
    waitUs: 0,
    receipt: allowed ? 'taken' : '',
  }
}

/** A store of somebody's own that answers what a test says, and keeps what it was asked to correct. */
export function answering(rows: readonly StoreRow[]): Store & { readonly changes: Change[] } {
  const changes: Change[] = []
  return {
    name: 'mine',
    changes,
    answer: () => rows,
    adjust(given) {
      changes.push(...given)
    },
    manage: () => undefined,
    close: async () => {},
  }
}
