import { networkOf } from '@sluice/core/http'
import { canonicalAddress } from '@sluice/core/internal'

/** As a service counts a client: its address, of IPv6 the first 64 bits. Whatever else a log calls its client stays as it is. */
export function clientOf(address: string): string {
  return canonicalAddress(address) === undefined ? address : networkOf(address)
}
