import { groupOf } from '../network-groups.ts'

/** Fewer keys of one network may be there by chance. */
const fewestKeys = 3

/** Keys with their counts, those of one network together: `203.0.113.0/24 (7 keys)`. */
export function byNetwork(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const networks = new Map<string, string[]>()
  for (const key of counts.keys()) {
    const network = groupOf(key)
    if (network !== undefined) networks.set(network, [...(networks.get(network) ?? []), key])
  }
  const grouped = new Map(counts)
  for (const [network, keys] of networks) {
    if (keys.length < fewestKeys) continue
    grouped.set(
      `${network} (${keys.length} keys)`,
      keys.reduce((sum, key) => sum + (counts.get(key) ?? 0), 0),
    )
    for (const key of keys) grouped.delete(key)
  }
  return grouped
}
