import { networkOf } from '@sluice/http'
import { canonicalAddress } from '@sluice/http/internal'

/** The bits of the network by which clients are grouped: what one provider hands to one customer, or to one machine's owner. */
const ipv4Bits = 24
const ipv6Bits = 48

/** The network of a client: 203.0.113.0/24, 2001:db8:7::/48; undefined for what is no address. */
export function groupOf(client: string): string | undefined {
  const address = canonicalAddress(client.replace(/\/\d+$/, ''))
  if (address === undefined) return undefined
  if (address.includes(':')) return networkOf(address, ipv6Bits)
  return `${address.slice(0, address.lastIndexOf('.'))}.0/${ipv4Bits}`
}
