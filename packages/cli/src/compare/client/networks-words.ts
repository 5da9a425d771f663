import { groupOf } from '@sluice/http/internal'

const mostNamed = 3

/** `192.0.2.0/24` for any addresses of it; at most three networks by name. */
export function networksWords(addresses: readonly string[]): string {
  const networks = [...new Set(addresses.map((address) => groupOf(address) ?? address))]
  const more = networks.length - mostNamed
  const named = networks.slice(0, mostNamed).join(', ')
  return more > 0 ? `${named} and ${more} more` : named
}
