import { canonicalAddress } from '@sluice/http/internal'

/** How much of a chain is read, from its end: what a client invents before it may be long. */
const longestChain = 2048
const maybeAddress = /^[\s"'[(]*(?:[\da-fA-F]{0,4}[.:]|unknown\b|-,|_)|for=/i
/** IPv6 without brackets, with a port behind it: IPv4 behind `::ffff:`, or eight groups and one more. */
const withoutPort = /^(::ffff:[\d.]+|(?:[\da-f]{1,4}:){7}[\da-f]{1,4}):\d{1,5}$/i
const ofForwarded = /(?:^|[;,\s])for=("[^"]*"|[^;,\s]*)/gi

/**
 * The addresses in a value, the nearest hop last: one address, `X-Forwarded-For`, or `Forwarded`. Ports, brackets and quotes are
 * cut, and members that name no address are left out. undefined if it is something else.
 */
export function hopsIn(value: string | undefined): readonly string[] | undefined {
  if (value === undefined || !maybeAddress.test(value)) return undefined
  if (!value.includes(',')) {
    const only = canonicalAddress(value) ?? canonicalAddress(withoutPort.exec(value)?.[1])
    if (only !== undefined) return [only]
  }
  const members = membersOf(value.slice(-longestChain))
  const hops: string[] = []
  for (const member of members) {
    const address = canonicalAddress(member)
    if (address !== undefined) hops.push(address)
  }
  return hops.length > 0 && hops.length * 2 >= members.length ? hops : undefined
}

function membersOf(value: string): readonly string[] {
  if (!/for=/i.test(value)) return value.split(/,|\s+/).filter((member) => member !== '')
  return Array.from(value.matchAll(ofForwarded), ([, member = '']) => member)
}
