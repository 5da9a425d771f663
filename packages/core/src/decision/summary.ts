import type { StoreRow, Summary } from '../store.ts'

/** Nothing to check: allowed, and no number is known. The five are limited, limit, remaining, retry-after, reset-after. */
export const emptySummary: Summary = [0, -1, -1, -1, 0]

/** The summary alone truncates to whole seconds; everything else rounds up. */
function seconds(us: number): number {
  return Math.trunc(us / 1e6)
}

export function summaryOf(row: StoreRow): Summary {
  const retry = row.allowed || row.retryAfterUs < 0 ? -1 : seconds(row.retryAfterUs)
  return [row.allowed ? 0 : 1, row.limit, row.remaining, retry, seconds(row.resetAfterUs)]
}

/** Limited if any is, the smallest limit and remaining, the largest times; no retry-after where waiting never helps one of them. */
export function foldSummaries(summaries: readonly Summary[]): Summary {
  const [first, ...rest] = summaries
  if (first === undefined) return emptySummary
  let [limited, limit, remaining, retry, reset] = first
  let never = first[0] === 1 && first[3] < 0
  for (const next of rest) {
    limited = next[0] === 1 ? 1 : limited
    limit = Math.min(limit, next[1])
    remaining = Math.min(remaining, next[2])
    retry = Math.max(retry, next[3])
    reset = Math.max(reset, next[4])
    never = never || (next[0] === 1 && next[3] < 0)
  }
  return [limited, limit, remaining, never ? -1 : retry, reset]
}
