import { optionError } from '@sluice/core/internal'
import { compileAddressList } from '@sluice/http/internal'

/** Whether an address is that of a proxy, whose word about the hop before it is believed. */
export type Trusts = (address: string) => boolean

/** Networks that no client on the Internet has: loopback, private, link-local, carriers' and unique local. */
const ownNetworks = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
]

export const isPrivate: Trusts = compileAddressList(ownNetworks, (_index, expected) => {
  throw new Error(expected)
})

/** Reads `--trust`: addresses and networks, several with commas between. */
export function trustOf(texts: readonly string[]): Trusts {
  const named = texts.flatMap((text) => text.split(',').map((entry) => entry.trim()))
  const has = compileAddressList(named, (index, expected, got) => {
    throw optionError(`trust[${index}]`, expected, got)
  })
  return (address) => isPrivate(address) || has(address)
}
