import { addressGroups, addressText, type Groups } from './address.ts'

/**
 * The network that is counted as one client: an IPv4 address unchanged, an IPv6 address cut to its first
 * `ipv6Prefix` bits (1 to 128), because one subscriber holds a whole IPv6 network and could use a new address
 * for every request. Takes what canonicalAddress gave; text that is no address comes back as it is.
 *
 * @example
 * networkOf('192.0.2.1', 64) // '192.0.2.1'
 * networkOf('2001:db8:1:2:3:4:5:6', 64) // '2001:db8:1:2::/64'
 */
export function networkOf(address: string, ipv6Prefix: number): string {
  if (!address.includes(':')) return address
  const groups = addressGroups(address)
  return groups === undefined ? address : `${addressText(firstBits(groups, ipv6Prefix))}/${ipv6Prefix}`
}

/** The address with every bit behind the first `bits` cleared: the first address of its network. */
export function firstBits(groups: Groups, bits: number): Groups {
  const network: number[] = []
  for (let i = 0; i < groups.length; i++) {
    const kept = Math.min(Math.max(bits - 16 * i, 0), 16)
    network.push((groups[i] ?? 0) & (0xffff << (16 - kept)))
  }
  return network
}
