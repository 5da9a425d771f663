import { optionError, wholeNumber } from '@sluice/core/internal'
import { addressGroups, addressText, canonicalAddress, type Groups } from './address.ts'

/**
 * The network that an address is counted under, as every middleware does by default: an IPv4 address unchanged, an IPv6 address cut to
 * its first `ipv6Prefix` bits (1 to 128, 64 unless set), because one subscriber holds a whole IPv6 network and could use a new
 * address for every request. Whatever the address's spelling: IPv4 written as IPv6, as a listener for both or NAT64 reports it, is
 * IPv4. Tunnels: a site of 6to4 is one client, and one of Teredo the IPv4 address behind it. Throws a TypeError for what is no address.
 *
 * @example
 * networkOf('192.0.2.1') // '192.0.2.1'
 * networkOf('::ffff:192.0.2.1') // '192.0.2.1'
 * networkOf('2001:DB8:1:2:3:4:5:6', 56) // '2001:db8:1::/56'
 */
export function networkOf(address: string, ipv6Prefix = 64): string {
  wholeNumber(ipv6Prefix, 'ipv6Prefix', 1, 128)
  const canonical = typeof address === 'string' ? canonicalAddress(address) : undefined
  if (canonical === undefined) throw optionError('address', 'an IPv4 or IPv6 address', address)
  return networkOfCanonical(canonical, ipv6Prefix)
}

/** The same for an address that `canonicalAddress` has returned. */
export function networkOfCanonical(address: string, ipv6Prefix: number): string {
  if (!address.includes(':')) return address
  const groups = addressGroups(address)
  if (groups === undefined) return address
  const [a, b, c, , , , high = 0, low = 0] = groups
  // Teredo, `2001::/32`: the first 64 bits are the server's and the same for all, and the last the client's own, inverted.
  if (a === 0x2001 && b === 0) return addressText([high ^ 0xffff, low ^ 0xffff])
  const bits = bitsOf(a, b, c, ipv6Prefix)
  return `${addressText(firstBits(groups, bits))}/${bits}`
}

function bitsOf(
  a: number | undefined,
  b: number | undefined,
  c: number | undefined,
  ipv6Prefix: number,
): number {
  // 6to4, `2002::/16`: each IPv4 address has a whole /48.
  if (a === 0x2002) return Math.min(ipv6Prefix, 48)
  // `64:ff9b:1::/48`, RFC 8215: an IPv4 client of a NAT64 of one's own. Which bits hold its address is not known, so all count: it has
  // no other address.
  return a === 0x64 && b === 0xff9b && c === 1 ? 128 : ipv6Prefix
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
