import { groupsOf } from '@sluice/http/internal'

/** Keys with their counts, those of one network together: `203.0.113.0/24 (7 keys)`. */
export function byNetwork(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const grouped = new Map(counts)
  for (const [network, keys] of groupsOf(counts.keys(), (key) => key)) {
    const sum = keys.reduce((sum, key) => sum + (counts.get(key) ?? 0), 0)
    for (const key of keys) grouped.delete(key)
    grouped.set(`${network} (${keys.length} keys)`, sum)
  }
  return grouped
}
