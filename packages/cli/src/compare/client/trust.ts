import { optionError } from '@sluice/core/internal'
import { readTrusted } from '@sluice/http/internal'

/** Whether an address is that of a proxy, whose word about the hop before it is believed. */
export type Trusts = (address: string) => boolean

/** Networks that no client on the Internet has: loopback, private, link-local, carriers' and unique local. */
const ownNetworks = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
]

export const isPrivate: Trusts = readTrusted(ownNetworks).has

/** Reads `--trust`: addresses and networks, several with commas between. */
export function trustOf(texts: readonly string[]): Trusts {
  const named = texts.flatMap((text) => text.split(',').map((entry) => entry.trim()))
  if (named.includes('')) throw optionError('trust', 'addresses and networks such as 192.0.2.0/24', texts.join(','))
  const has = readTrusted(named).has
  return (address) => isPrivate(address) || has(address)
}
