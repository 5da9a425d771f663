import { optionError, wholeNumber } from '@sluice/core/internal'

/** The 16-bit groups of an address from left to right: two for IPv4, eight for IPv6. */
export type Groups = readonly number[]

/** Characters looked at: the longest spelling (brackets, zone, port) is shorter, an attacker's is not. */
const longest = 128

// No leading zeros: `010.0.0.1` is 8.0.0.1 to some parsers and 10.0.0.1 to others, so it is neither here.
const byteValue = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ipv4Pattern = new RegExp(`^${byteValue}\\.${byteValue}\\.${byteValue}\\.${byteValue}$`)

/** Eight groups, none of them zero, lower case: canonical as it stands, as most client addresses are. */
const canonicalIpv6 = /^(?:[1-9a-f][\da-f]{0,3}:){7}[1-9a-f][\da-f]{0,3}$/

const port = '(?::\\d{1,5})?'
const zone = '(?:%[\\w.:~%-]+)?'
/** Captures: a quote or nothing, then IPv4, IPv6 in brackets or bare IPv6, each still to be parsed. */
const dressed = new RegExp(
  `^\\s*("?)(?:([\\d.]+)${port}|\\[([\\da-f:.]+)${zone}\\]${port}|([\\da-f:.]+)${zone})\\1\\s*$`,
  'i',
)

const dot = 46
const colon = 58

/**
 * The one spelling of a client address, from what a framework or a trusted proxy reports; undefined when that
 * is no address. Port, brackets, quotes, zone and surrounding space are cut, IPv6 that stands for an IPv4 address
 * (mapped, or by NAT64) is that address, other IPv6 is in the form of RFC 5952. Never throws.
 *
 * @example
 * canonicalAddress('::FFFF:192.0.2.1') // '192.0.2.1'
 * canonicalAddress('"[2001:DB8::0:1]:80"') // '2001:db8::1'
 * canonicalAddress('0300.0.2.1') // undefined
 */
export function canonicalAddress(text: string | undefined): string | undefined {
  if (text === undefined || text.length > longest) return undefined
  if (isIpv4(text, 0)) return text
  // What a socket that listens on both families reports for every IPv4 client.
  if (text.startsWith('::ffff:') && isIpv4(text, 7)) return text.slice(7)
  if (canonicalIpv6.test(text)) return text
  const parts = dressed.exec(text)
  if (parts === null) return undefined
  const groups = parts[2] === undefined ? ipv6Groups(parts[3] ?? parts[4] ?? '') : ipv4Groups(parts[2])
  return groups === undefined ? undefined : addressText(unmapped(groups))
}

/** Whether ipv4Pattern matches from an index on, without a pattern, as this runs for each request. */
function isIpv4(text: string, start: number): boolean {
  let dots = 0
  let byte = -1
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === dot) {
      if (byte < 0) return false
      dots++
      byte = -1
    } else {
      if (code < 48 || code > 57 || byte === 0) return false
      byte = byte < 0 ? code - 48 : byte * 10 + code - 48
      if (byte > 255) return false
    }
  }
  return dots === 3 && byte >= 0
}

/** The groups of an address with nothing around it; undefined for other text. IPv4 written as IPv6 has eight. */
export function addressGroups(address: string): Groups | undefined {
  if (address.length > longest) return undefined
  return ipv4Groups(address) ?? ipv6Groups(address)
}

/** How many bits of an IPv6 address stand before the IPv4 address that it contains. */
export const ipv4Bits = 96

/** The two groups of an IPv4 address that is written as IPv6; any other address is unchanged. */
export function unmapped(groups: Groups): Groups {
  const [a, b, c, d, e, f, high, low] = groups
  if (c !== 0 || d !== 0 || e !== 0 || high === undefined || low === undefined) return groups
  // `::ffff:0:0/96`, IPv4-mapped: a socket for both families reports it.
  const mapped = a === 0 && b === 0 && f === 0xffff
  // `64:ff9b::/96`, RFC 6052: a server without IPv4 sees all its IPv4 clients by way of one translator.
  const translated = a === 0x64 && b === 0xff9b && f === 0
  return mapped || translated ? [high, low] : groups
}

/** Groups as text: dotted IPv4, or IPv6 as RFC 5952 writes it. */
export function addressText(groups: Groups): string {
  const [high, low] = groups
  if (groups.length === 2 && high !== undefined && low !== undefined) {
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  }
  // RFC 5952, 4.2: the longest run of zero groups is cut, the first of equal ones, never a single group.
  let gapStart = 8
  let gapEnd = 8
  let run = 0
  for (let i = 0; i < 8; i++) {
    run = groups[i] === 0 ? run + 1 : 0
    if (run > 1 && run > gapEnd - gapStart) {
      gapStart = i + 1 - run
      gapEnd = i + 1
    }
  }
  let text = ''
  for (let i = 0; i < 8; i++) {
    if (i === gapStart) {
      text += '::'
      i = gapEnd - 1
    } else {
      if (i > 0 && i !== gapEnd) text += ':'
      text += (groups[i] ?? 0).toString(16)
    }
  }
  return text
}

function ipv4Groups(text: string): Groups | undefined {
  const bytes = ipv4Pattern.exec(text)
  if (bytes === null) return undefined
  return [Number(bytes[1]) * 256 + Number(bytes[2]), Number(bytes[3]) * 256 + Number(bytes[4])]
}

function ipv6Groups(text: string): Groups | undefined {
  const groups: number[] = []
  let gap = -1
  let at = 0
  if (text.startsWith('::')) {
    gap = 0
    at = 2
  }
  while (at < text.length) {
    const start = at
    let group = 0
    for (let digit = hexDigit(text, at); digit >= 0; digit = hexDigit(text, ++at)) group = group * 16 + digit
    if (at === start || at - start > 4) return undefined
    if (text.charCodeAt(at) === dot) {
      const tail = ipv4Groups(text.slice(start))
      if (tail === undefined) return undefined
      groups.push(...tail)
      break
    }
    groups.push(group)
    if (at === text.length) break
    if (text.charCodeAt(at++) !== colon || at === text.length) return undefined
    if (text.charCodeAt(at) === colon) {
      if (gap >= 0) return undefined
      gap = groups.length
      at++
    }
  }
  // `::` stands for one group or more (RFC 4291, 2.2), so a full eight beside it are too many.
  if (gap >= 0 && groups.length === 8) return undefined
  while (gap >= 0 && groups.length < 8) groups.splice(gap, 0, 0)
  return groups.length === 8 ? groups : undefined
}

/** The value of the hexadecimal digit at an index; -1 for any other character and behind the end. */
function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

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
