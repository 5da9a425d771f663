import { networkOf } from '@sluice/http'
import { canonicalAddress } from '@sluice/http/internal'

/** The key of a client as in a service: its address, or the first 64 bits of it for IPv6. Anything that is no address is unchanged. */
export function clientOf(address: string): string {
  return canonicalAddress(address) === undefined ? address : networkOf(address)
}
