import { isIPv4, isIPv6 } from 'node:net'
import { networkOf } from '@sluice/http'
import { canonicalAddress } from '@sluice/http/internal'

const ipv4Compatible = /^::(\d+\.\d+\.\d+\.\d+)$/

/**
 * The key of an address: IPv4 as it is, also where it is written as IPv6, and of IPv6 the network, as one subscriber holds all of
 * its addresses. `false` counts each address by itself.
 *
 * @example
 * ipKeyGenerator('192.0.2.1') // '192.0.2.1'
 * ipKeyGenerator('2001:db8:1:2:3:4:5:6') // '2001:db8:1::/56'
 */
export function ipKeyGenerator(ip: string, ipv6Subnet: number | false = 56): string {
  if (!isIPv6(ip)) return ip
  const canonical = canonicalAddress(ip)
  if (canonical !== undefined && isIPv4(canonical)) return canonical
  const [, compatible] = ipv4Compatible.exec(ip) ?? []
  if (compatible !== undefined) return compatible
  return ipv6Subnet === false ? ip : networkOf(ip, ipv6Subnet)
}
