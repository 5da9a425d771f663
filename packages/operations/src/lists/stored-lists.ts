import type { Lists } from '@sluice/core'
import { realClock } from '@sluice/core/internal'
import { ListTable } from '@sluice/http/internal'
import { entryOf, type StoredEntry } from './entry.ts'

/**
 * Entries as they were read, as lists that a limiter obeys. They do not follow what happens in Redis: `operations({ … }).lists` do.
 *
 * @example rebuildLimiters(await reader.processes(), redis, listsOf(await reader.lists.entries()))
 */
export function listsOf(entries: readonly StoredEntry[]): Lists {
  const nowUs = realClock.nowUs()
  return new ListTable(entries.map((entry) => entryOf(entry, nowUs)))
}
