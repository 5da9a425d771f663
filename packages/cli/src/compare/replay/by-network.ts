import { groupOf } from '../../network-groups.ts'
import type { Network } from '../comparison.ts'
import type { Counts } from './counts.ts'
import type { Names } from './names.ts'

/** Fewer clients of one network may be there by chance. */
const fewestClients = 3

/** The networks that several of these clients are of, with the sum of each, the largest first. */
export function byNetwork(counts: Counts, names: Names): readonly Network[] {
  const networks = new Map<string, { clients: number; requests: number }>()
  for (const client of counts.numbers) {
    const network = groupOf(names.nameOf(client))
    if (network === undefined) continue
    const sum = networks.get(network) ?? { clients: 0, requests: 0 }
    sum.clients++
    sum.requests += counts.of(client)
    networks.set(network, sum)
  }
  return Array.from(networks, ([network, sum]) => ({ network, ...sum }))
    .filter(({ clients }) => clients >= fewestClients)
    .sort((a, b) => b.requests - a.requests)
}
