import { networkOf } from '@sluice/http'
import { canonicalAddress } from '@sluice/http/internal'

/**
 * The first address of the network that an address is in: IPv4 unchanged, IPv6 cut to its first `ipv6Subnet` bits. What is no
 * address is written in lower case.
 *
 * @example
 * normalizeIP('::ffff:192.0.2.1') // '192.0.2.1'
 * normalizeIP('2001:DB8:1:2:3:4:5:6') // '2001:db8:1:2::'
 */
export function normalizeIP(ip: string, ipv6Subnet = 64): string {
  const address = canonicalAddress(ip)
  if (address === undefined) return ip.toLowerCase()
  if (ipv6Subnet < 1) return address.includes(':') ? '::' : address
  return networkOf(address, Math.min(ipv6Subnet, 128)).replace(/\/\d+$/, '')
}
