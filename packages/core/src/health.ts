import type { Health } from './store.ts'

/** The health of a store that has had no trouble, or cannot say. */
export function healthOf(store: string): Health {
  const counts = { sinceMs: 0, failures: 0, fallbackDecisions: 0, lateReplies: 0, keys: 0 }
  return { status: 'ok', store, ...counts, warnings: [] }
}
