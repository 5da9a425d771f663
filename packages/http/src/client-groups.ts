import { canonicalAddress, networkOf } from './address.ts'

/** The bits of the network by which clients are grouped: what one provider hands to one customer, or to one machine's owner. */
const ipv4Bits = 24
const ipv6Bits = 48
/** Fewer clients may be of one network by chance. */
const fewest = 3

/** The network of a client: 203.0.113.0/24, 2001:db8:7::/48; undefined for what is no address. */
export function groupOf(client: string): string | undefined {
  const address = canonicalAddress(client.replace(/\/\d+$/, ''))
  if (address === undefined) return undefined
  if (address.includes(':')) return networkOf(address, ipv6Bits)
  return `${address.slice(0, address.lastIndexOf('.'))}.0/${ipv4Bits}`
}

/** The networks that several of these clients are of, each with its clients, in their order. */
export function groupsOf<T>(
  clients: Iterable<T>,
  nameOf: (client: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const client of clients) {
    const network = groupOf(nameOf(client))
    if (network === undefined) continue
    const group = groups.get(network)
    if (group === undefined) groups.set(network, [client])
    else group.push(client)
  }
  for (const [network, group] of groups) if (group.length < fewest) groups.delete(network)
  return groups
}
