import { groupsOf } from '@sluice/http/internal'
import type { Network } from '../comparison.ts'
import type { Counts } from './counts.ts'
import type { Names } from './names.ts'

/** The networks that have several of these clients, with the sum of each, the largest first. */
export function byNetwork(counts: Counts, names: Names): readonly Network[] {
  const groups = groupsOf(counts.numbers, (client) => names.nameOf(client))
  return Array.from(groups, ([network, clients]) => ({
    network,
    clients: clients.length,
    requests: clients.reduce((sum, client) => sum + counts.of(client), 0),
  })).sort((a, b) => b.requests - a.requests)
}
