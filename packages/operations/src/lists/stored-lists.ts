import type { Lists } from '@sluice/core'
import { realClock } from '@sluice/core/internal'
import { ListTable } from '@sluice/http/internal'
import { entryOf, type StoredEntry } from './entry.ts'

/**
 * Makes lists that a limiter obeys from entries that were read. They do not follow changes in Redis, as `operations({ … }).lists` do.
 *
 * @example rebuildLimiters(await reader.processes(), redis, listsOf(await reader.lists.entries()))
 */
export function listsOf(entries: readonly StoredEntry[]): Lists {
  const nowUs = realClock.nowUs()
  return new ListTable(entries.map((entry) => entryOf(entry, nowUs)))
}
